<?php

declare(strict_types=1);

final class Body
{
    public function __construct(
        public float $x,
        public float $y,
        public float $z,
        public float $vx,
        public float $vy,
        public float $vz,
        public float $mass,
    ) {
    }
}

function pull(Body $a, Body $b, float $dt): void
{
    $dx = $a->x - $b->x;
    $dy = $a->y - $b->y;
    $dz = $a->z - $b->z;
    $squared = $dx * $dx + $dy * $dy + $dz * $dz;
    $force = $dt / ($squared * sqrt($squared));
    $a->vx -= $dx * $b->mass * $force;
    $a->vy -= $dy * $b->mass * $force;
    $a->vz -= $dz * $b->mass * $force;
    $b->vx += $dx * $a->mass * $force;
    $b->vy += $dy * $a->mass * $force;
    $b->vz += $dz * $a->mass * $force;
}

function advance(array $bodies, float $dt): void
{
    $count = count($bodies);
    for ($i = 0; $i < $count; $i++) {
        for ($j = $i + 1; $j < $count; $j++) {
            pull($bodies[$i], $bodies[$j], $dt);
        }
    }
    foreach ($bodies as $body) {
        $body->x += $dt * $body->vx;
        $body->y += $dt * $body->vy;
        $body->z += $dt * $body->vz;
    }
}

function run(): float
{
    $bodies = [
        new Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47),
        new Body(4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037),
        new Body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
        new Body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
        new Body(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002),
    ];
    for ($step = 0; $step < 2000; $step++) {
        advance($bodies, 0.01);
    }
    return $bodies[0]->x;
}
