"""A client that openapi-python-client has made, against the service at $SERVICE; and answers held against their schemas.

    python client.py openapi.json"""

import json
import os
import sys

import httpx
from openapi_schema_validator import OAS31Validator
from retold_client import AuthenticatedClient, Client
from retold_client.api.pages import add, get, get_by_url, query, remove, search
from retold_client.api.stories import condense, edits, explain, matches, overview, stories, story, story_by_id
from retold_client.models import NewPage, Problem

service, token = os.environ["SERVICE"], os.environ["TOKEN"]
client = AuthenticatedClient(base_url=service, token=token)
text = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."

# A page, then several.
added = add.sync(client=client, body=NewPage(id="py/1", url="http://a.example/1", date="2026-11-01", title="Storm", text=text))
assert (added.id, added.status, added.matches) == ("py/1", "new", []), added
added = add.sync(client=client, body=[NewPage(id=f"py/{n}", text=f"{text} Read more news {n} tomorrow.") for n in (2, 3)])
assert [page.status for page in added] == ["new", "new"], added
found = query.sync(client=client, body=NewPage(text=text)).matches
assert (found[0].id, found[0].title, found[0].site, found[0].relation) == ("py/1", "Storm", "a.example", "duplicate"), found
assert (found[0].own, found[0].own_match) == (0, 0), found

page = get.sync("py/1", client=client)
assert page.text == text and page == get_by_url.sync(client=client, url_query="http://a.example/1"), page
first = matches.sync("py/1", client=client, limit=1)
rest = matches.sync("py/1", client=client, cursor=first.next_)
assert len(first.matches + rest.matches) == 2 and rest.next_ is None, (first, rest)
assert story.sync("py/1", client=client) is not None
listed = stories.sync(client=client)
assert (listed.total, listed.stories[0].pages, listed.next_) == (1, 3, None), listed
told = story_by_id.sync(listed.stories[0].id, client=client, edits=True)
assert [(page.what, page.of) for page in told.timeline][0] == ("first", None), told
found = search.sync(client=client, q="storm")
assert "py/1" in [page.id for page in found.pages] and found.complete, found
assert overview.sync(client=client).largest[0].id == told.id
assert edits.sync(client=client, id="py/2", of="py/1").added > 0
told = explain.sync(client=client, a="py/1", b="py/2")
assert told.relation == "duplicate" and told.a.text == text and told.checks, told

groups = condense.sync(client=client, body=["py/2", NewPage(text="Another page."), "py/1"]).groups
assert [(line.rank, [other.id for other in line.others]) for line in groups] == [(1, ["py/1"]), (2, [])], groups

# What is wrong is told as a problem.
problem = get.sync("nobody", client=client)
assert isinstance(problem, Problem) and problem.status == 404 and "nobody" in problem.detail, problem
problem = add.sync(client=client, body=NewPage(text=text))
assert isinstance(problem, Problem) and problem.status == 422 and "no id" in problem.detail, problem
problem = get.sync("py/1", client=Client(base_url=service))
assert isinstance(problem, Problem) and problem.status == 401, problem
assert remove.sync_detailed("py/3", client=client).status_code == 204

# Each answer has the form that the description gives it, whatever a client reads of it.
described = json.load(open(sys.argv[1]))


def check(method, route, path, status=200, **sent):
    answer = httpx.request(method, service + path, headers={"Authorization": f"Bearer {token}"}, **sent)
    assert answer.status_code == status, answer.text
    kinds = described["paths"][route][method.lower()]["responses"][str(status)]["content"]
    schema = kinds[answer.headers["content-type"].split(";")[0]]["schema"]
    schema = {**schema, "components": described["components"]}
    OAS31Validator(schema).validate(answer.json())


page = {"text": text}
check("POST", "/v1/query", "/v1/query", json=page)
check("POST", "/v1/query", "/v1/query", json=[page, 7])
check("GET", "/v1/pages/{id}", "/v1/pages/py%2F1")
check("GET", "/v1/pages/{id}", "/v1/pages/nobody", 404)
check("GET", "/v1/pages/{id}/matches", "/v1/pages/py%2F1/matches?limit=1")
check("GET", "/v1/pages/{id}/story", "/v1/pages/py%2F1/story")
check("POST", "/v1/passages", "/v1/passages?min_words=12", json=page)
check("GET", "/v1/pages/{id}/passages", "/v1/pages/py%2F1/passages?min_words=12")
check("GET", "/v1/explain", "/v1/explain?a=py%2F1&b=py%2F2")
check("POST", "/v1/explain", "/v1/explain?b=py%2F2", json=page)
check("POST", "/v1/condense", "/v1/condense", json=["py/2", page, "nobody"])
check("GET", "/v1/stories", "/v1/stories")
check("GET", "/v1/stories/{id}", "/v1/stories/py%2F2?edits=true")
check("GET", "/v1/search", "/v1/search?q=storm&site=a.example")
check("GET", "/v1/overview", "/v1/overview")
check("GET", "/v1/edits", "/v1/edits?id=py%2F2&of=py%2F1")
check("GET", "/v1/stories", "/v1/stories?sort=best", 400)
print("openapi: the Python client works")
