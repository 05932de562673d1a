<?php

declare(strict_types=1);

function textOf(int $count): string
{
    $syllables = explode(' ', 'ka lo mi ne ru ta so vi pe du an er');
    $words = [];
    $seed = 1;
    while (count($words) < $count) {
        $seed = $seed * 171 % 30269;
        $word = $syllables[$seed % 12] . $syllables[$seed % 7];
        if ($seed % 3 === 0) {
            $word .= $syllables[$seed % 11];
        }
        $words[] = $word;
    }
    return implode(' ', $words);
}

function countWords(string $text): array
{
    $counts = [];
    foreach (explode(' ', $text) as $word) {
        $counts[$word] = ($counts[$word] ?? 0) + 1;
    }
    return $counts;
}

function report(string $text): string
{
    $counts = countWords($text);
    uksort($counts, fn ($a, $b) => $counts[$b] <=> $counts[$a] ?: strcmp($a, $b));
    $top = array_slice($counts, 0, 5);
    return implode(' ', array_map(fn ($word, $count) => "$word=$count", array_keys($top), $top));
}

function run(): string
{
    return report(str_repeat(textOf(2_000) . ' ', 40));
}
