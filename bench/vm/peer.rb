# Measures one Ruby program (argument: its path) when asked, like worker.ts.
require "json"

load ARGV.fetch(0)

CLOCK = ENV["BENCH_CLOCK"] == "cpu" ? Process::CLOCK_PROCESS_CPUTIME_ID : Process::CLOCK_MONOTONIC
$stdout.sync = true

def now
  Process.clock_gettime(CLOCK, :float_millisecond)
end

$stdin.each_line do |request|
  least = JSON.parse(request)["minMs"]
  runs = 0
  start = now
  loop do
    result = Program.run
    runs += 1
    elapsed = now - start
    next if elapsed < least

    puts JSON.generate({ms: elapsed / runs, result: result.to_s})
    break
  end
end
