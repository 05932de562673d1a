<?php

declare(strict_types=1);

function run(): int
{
    $values = range(0, 999);
    $total = 0;
    for ($k = 0; $k < 200; $k++) {
        $doubled = array_map(fn ($x) => $x * 2 + $k, $values);
        $thirds = array_filter($doubled, fn ($x) => $x % 3 === 0);
        $total += array_reduce($thirds, fn ($a, $b) => $a + $b, 0);
    }
    return $total;
}
