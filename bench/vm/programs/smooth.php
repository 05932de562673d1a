<?php

declare(strict_types=1);

function run(): int
{
    [$count, $rounds] = [5000, 40];
    $values = [];
    for ($i = 0; $i < $count; $i++) {
        $values[] = $i % 17 * 0.5;
    }
    for ($round = 0; $round < $rounds; $round++) {
        for ($i = 1; $i < $count; $i++) {
            $values[$i] = $values[$i] * 0.5 + $values[$i - 1] * 0.375;
        }
    }
    $sum = 0.0;
    foreach ($values as $value) {
        $sum += $value;
    }
    return (int) floor($sum * 1000000.0);
}
