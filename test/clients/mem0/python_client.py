"""Calls /compat/mem0 with the Python client of mem0 and prints what it answered as JSON. See mem0.test.ts."""

import asyncio
import json
import os

from mem0 import AsyncMemoryClient, MemoryClient

host = os.environ["MEM0_HOST"]
client = MemoryClient(api_key=os.environ["AGENT_KEY"], host=host)
admin = MemoryClient(api_key=os.environ["ADMIN_KEY"], host=host)


def refusal(call):
    try:
        return {"answered": call()}
    except Exception as error:
        return {"name": type(error).__name__, "code": getattr(error, "error_code", None), "message": str(error)}


user = {"user_id": "alex"}
added = client.add(
    [
        {"role": "user", "content": "My allergy is hazelnuts."},
        {"role": "assistant", "content": "Noted: no hazelnuts."},
    ],
    user_id="alex",
    run_id="lunch",
    metadata={"dinnerTopic": "food"},
)


async def add_for_another_user():
    other = AsyncMemoryClient(api_key=os.environ["AGENT_KEY"], host=host)
    await other.add("My allergy is pollen.", user_id="berta")


asyncio.run(add_for_another_user())
found = client.search("What is my allergy?", filters=user, top_k=5, threshold=0.1)
filters = {"AND": [user, {"run_id": "*"}, {"created_at": {"gte": "2024-01-01"}}]}
listed = client.get_all(filters=filters, page=1, page_size=1)
first, second = added["results"]
got = client.get(first["id"])
updated = client.update(first["id"], text="My allergy is walnuts.")
history = client.history(first["id"])
feedback = client.feedback(first["id"], "POSITIVE")
batch = client.batch_update([{"memory_id": second["id"], "text": "Noted: no walnuts."}])
users = admin.users()
deleted = client.delete(first["id"])
refusals = {
    "missing": refusal(lambda: client.get(first["id"])),
    "unsupported": refusal(lambda: client.create_memory_export("{}")),
    "invalid": refusal(lambda: client.get_all(filters={"user_id": "alex", "topic": "x"})),
    "stranger": refusal(lambda: MemoryClient(api_key="m0-of-mem0", host=host)),
}
client.delete_all(user_id="alex")
left = client.get_all(filters=user)
admin.reset()
after = admin.users()

print(
    json.dumps(
        {
            "added": [[item["memory"], item["event"]] for item in added["results"]],
            "found": list({item["user_id"] for item in found["results"]}),
            "best": [
                [item["memory"], "number" if isinstance(item["score"], float) else None]
                for item in found["results"]
            ],
            "listed": [
                listed["count"],
                len(listed["results"]),
                "string" if isinstance(listed["next"], str) else None,
            ],
            "got": [got["memory"], got["user_id"], got["run_id"], got["metadata"]],
            "updated": updated["memory"],
            "history": [[item["event"], item["old_memory"], item["new_memory"]] for item in history],
            "messages": [item["message"] for item in (feedback, batch, deleted)],
            "users": [[item["type"], item["name"], item["total_memories"]] for item in users["results"]],
            "refusals": refusals,
            "left": left["count"],
            "after": after["count"],
        }
    )
)
