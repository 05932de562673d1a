<?php

declare(strict_types=1);

function showUser(int $id, string $name): string
{
    $tags = [];
    for ($i = 0; $i < 3; $i++) {
        $tags[] = "$name-$i";
    }
    $user = ['id' => $id, 'name' => $name, 'greeting' => "Hello, $name!", 'tags' => $tags, 'ok' => true];
    if ($user['id'] % 2 === 0) {
        $user['ok'] = false;
    }
    return json_encode($user);
}

function run(): int
{
    $bytes = 0;
    for ($id = 0; $id < 20_000; $id++) {
        $bytes += strlen(showUser($id, 'alice'));
    }
    return $bytes;
}
