<?php

declare(strict_types=1);

function mapWith(callable $f, array $values): array
{
    $out = [];
    foreach ($values as $x) {
        $out[] = $f($x);
    }
    return $out;
}

function selectWith(callable $f, array $values): array
{
    $out = [];
    foreach ($values as $x) {
        if ($f($x)) {
            $out[] = $x;
        }
    }
    return $out;
}

function reduceWith(callable $f, array $values, int $start): int
{
    foreach ($values as $x) {
        $start = $f($start, $x);
    }
    return $start;
}

function run(): int
{
    $values = range(0, 999);
    $total = 0;
    for ($k = 0; $k < 200; $k++) {
        $doubled = mapWith(fn ($x) => $x * 2 + $k, $values);
        $thirds = selectWith(fn ($x) => $x % 3 === 0, $doubled);
        $total += reduceWith(fn ($a, $b) => $a + $b, $thirds, 0);
    }
    return $total;
}
