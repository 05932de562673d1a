<?php

declare(strict_types=1);

function mandelbrot(int $width, int $height, int $limit): int
{
    $total = 0;
    for ($row = 0; $row < $height; $row++) {
        for ($column = 0; $column < $width; $column++) {
            $x0 = $column / $width * 3.5 - 2.5;
            $y0 = $row / $height * 2.0 - 1.0;
            $x = 0.0;
            $y = 0.0;
            $i = 0;
            while ($i < $limit && $x * $x + $y * $y <= 4.0) {
                $t = $x * $x - $y * $y + $x0;
                $y = 2.0 * $x * $y + $y0;
                $x = $t;
                $i++;
            }
            $total += $i;
        }
    }
    return $total;
}

function run(): int
{
    return mandelbrot(120, 80, 200);
}
