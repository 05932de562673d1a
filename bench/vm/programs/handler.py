import json


def show_user(id, name):
    tags = []
    for i in range(3):
        tags.append(f"{name}-{i}")
    user = {"id": id, "name": name, "greeting": f"Hello, {name}!", "tags": tags, "ok": True}
    if user["id"] % 2 == 0:
        user["ok"] = False
    return json.dumps(user, separators=(",", ":"))


def run():
    size = 0
    for id in range(20_000):
        size += len(show_user(id, "alice"))
    return size
