import t from 'tap';
import { MetricSums } from '../../../natives/cluster/sums.js';

const ONE = `# HELP requests_total Requests answered.
# TYPE requests_total counter
requests_total{route="/a b"} 3
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="+Inf"} 3
seconds_sum 0.5
seconds_count 3
# TYPE threads gauge
threads 4
# TYPE delay_seconds gauge
delay_seconds{quantile="0.5"} 0.01
`;
const TWO = `# HELP requests_total Requests answered.
# TYPE requests_total counter
requests_total{route="/a b"} 1
requests_total{route="/\\"x\\""} 7
# TYPE seconds histogram
seconds_bucket{le="0.1"} 0
seconds_bucket{le="+Inf"} 1
seconds_sum 0.25
seconds_count 1
# TYPE threads gauge
threads 2
# TYPE delay_seconds gauge
delay_seconds{quantile="0.5"} 0.03
`;

t.test('adds counters, histograms and gauges; takes the largest of quantiles', (t) => {
  const sums = new MetricSums();
  sums.add(ONE);
  sums.add(TWO);
  t.equal(
    sums.text(),
    `# HELP requests_total Requests answered.
# TYPE requests_total counter
requests_total{route="/a b"} 4
requests_total{route="/\\"x\\""} 7
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="+Inf"} 4
seconds_sum 0.75
seconds_count 4
# TYPE threads gauge
threads 6
# TYPE delay_seconds gauge
delay_seconds{quantile="0.5"} 0.03
`,
  );
  t.end();
});

t.test('takes gauges of a common database once', (t) => {
  const sums = new MetricSums();
  const text = '# TYPE svc_jobs gauge\nsvc_jobs{state="ready"} 3\n';
  sums.add(text);
  sums.add(text);
  t.equal(sums.text(), text);
  t.end();
});

t.test('counters alone, for processes that have ended', (t) => {
  const sums = new MetricSums();
  sums.add(ONE, 'counters');
  t.match(sums.text(), 'requests_total{route="/a b"} 3\n');
  t.match(sums.text(), 'seconds_count 3\n');
  t.notMatch(sums.text(), 'threads');
  t.notMatch(sums.text(), 'quantile');
  t.equal(new MetricSums().text(), '');
  t.end();
});
