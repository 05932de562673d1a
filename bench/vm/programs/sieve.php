<?php

declare(strict_types=1);

function run(): int
{
    $limit = 1_000_000;
    $prime = array_fill(0, $limit, true);
    $count = 0;
    for ($i = 2; $i < $limit; $i++) {
        if (!$prime[$i]) {
            continue;
        }
        $count++;
        for ($j = $i * 2; $j < $limit; $j += $i) {
            $prime[$j] = false;
        }
    }
    return $count;
}
