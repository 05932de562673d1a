import t from 'tap';
import { DateValue } from '../../../../natives/core/dates/date.js';
import { formatDate } from '../../../../natives/core/dates/format.js';
import { shown } from '../support.js';
import { inZone } from './zone.js';

/** Directives, and their text in Ruby 3.1 for 2024-02-07 09:05:03.042 in Berlin. */
// prettier-ignore
const DIRECTIVES: [string, string][] = [
  ['%Y %C %y %m %d', '2024 20 24 02 07'], ['%e|%j|%k|%l', ' 7|038| 9| 9'], ['%H:%M:%S %I %p %P', '09:05:03 09 AM am'],
  ['%u %w %A %a %B %b %h', '3 3 Wednesday Wed February Feb Feb'], ['%U %W %V %G %g', '05 06 06 2024 24'], ['%s', '1707293103'],
  ['%z %:z %::z %Z', '+0100 +01:00 +01:00:00 CET'], ['%L %N %3N %6N %1N', '042 042000000 042 042000 0'],
  ['%F %T %D %R', '2024-02-07 09:05:03 02/07/24 09:05'], ['%r|%c|%x|%X|%v', '09:05:03 AM|Wed Feb  7 09:05:03 2024|02/07/24|09:05:03| 7-FEB-2024'],
  ['%-d %-m %_m %05d %^a %^B %#p %10A|%010Y|%-I', '7 2  2 00007 WED FEBRUARY am  Wednesday|0000002024|9'], ['%n%t%%', '\n\t%'], ['100 % sure', '100 % sure'],
];

t.test('directives', async (t) => {
  inZone('Europe/Berlin', () => {
    const date = new DateValue(Date.UTC(2024, 1, 7, 8, 5, 3, 42));
    for (const [pattern, text] of DIRECTIVES) t.equal(formatDate(date, pattern), text, pattern);
    t.equal(
      shown(() => formatDate(date, '%Q')),
      "ValueError: Date.format(): '%Q' is not a directive; write %% for a percent sign",
    );
    t.match(
      shown(() => formatDate(date, '%99999999Y')),
      /^ValueError: Date.format\(\): '%99999999Y' is wider than/,
    );
  });
});

t.test('weeks at the ends of years', async (t) => {
  inZone('UTC', () => {
    const weeks = ['2021-01-01', '2020-12-31', '2018-12-31', '2016-01-03', '2016-01-04', '2015-12-31'].map((day) =>
      formatDate(new DateValue(Date.parse(day)), '%G-%V %U %W %j'),
    );
    t.same(weeks, [
      '2020-53 00 00 001',
      '2020-53 52 52 366',
      '2019-01 52 53 365',
      '2015-53 01 00 003',
      '2016-01 01 01 004',
      '2015-53 52 52 365',
    ]);
  });
});
