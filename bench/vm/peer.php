<?php

// Measures one PHP program (argument: its path) when asked, like worker.ts.

declare(strict_types=1);

require $argv[1];

// Floats with as many digits as the others print.
ini_set('precision', '-1');

function processorTime(): float
{
    $usage = getrusage();
    $seconds = $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'];
    $microseconds = $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
    return $seconds * 1e3 + $microseconds / 1e3;
}

function elapsedTime(): float
{
    return hrtime(true) / 1e6;
}

$clock = getenv('BENCH_CLOCK') === 'cpu' ? 'processorTime' : 'elapsedTime';

while (($request = fgets(STDIN)) !== false) {
    $least = json_decode($request)->minMs;
    $runs = 0;
    $start = $clock();
    do {
        $result = run();
        $runs++;
        $elapsed = $clock() - $start;
    } while ($elapsed < $least);
    // Writing to STDOUT is not buffered.
    fwrite(STDOUT, json_encode(['ms' => $elapsed / $runs, 'result' => (string) $result]) . "\n");
}
