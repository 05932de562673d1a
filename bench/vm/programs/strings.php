<?php

declare(strict_types=1);

function build(int $count): string
{
    $lines = [];
    for ($i = 0; $i < $count; $i++) {
        $lines[] = "item $i: " . $i * 7 % 1000 . ' of ' . $i % 13;
    }
    return implode("\n", $lines);
}

function digest(string $text): string
{
    $out = '';
    foreach (explode("\n", $text) as $line) {
        $name = explode(':', $line)[0];
        if (str_ends_with($name, '7')) {
            $out .= str_replace('ITEM', 'no.', strtoupper($name)) . ';';
        } elseif (str_contains($line, '999')) {
            $out .= strrev(substr($line, 5, 5)) . ',';
        }
    }
    return $out;
}

function run(): string
{
    $out = digest(build(20_000));
    return strlen($out) . ' ' . substr($out, 0, 21) . ' ' . substr($out, -20);
}
