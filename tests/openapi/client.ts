// A client that openapi-typescript has typed, against the service at $SERVICE. tsc checks the types, node runs it.
import createClient from "openapi-fetch";
import type { paths } from "./made/api.js";

declare const process: { env: Record<string, string | undefined> };
const client = createClient<paths>({ baseUrl: process.env.SERVICE ?? "", headers: { Authorization: `Bearer ${process.env.TOKEN}` } });
const text = "Nine gardens can be seen on Saturday. The tour begins at the church at two o'clock, and tickets are sold at the gate of the first garden, where there is tea and cake.";

function check(holds: boolean, shown: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(shown));
}

const added = await client.POST("/v1/pages", { body: { id: "ts/1", url: "http://b.example/1", title: "Gardens", text } });
check(typeof added.data === "object" && !Array.isArray(added.data) && added.data.status === "new", added);
const more = await client.POST("/v1/pages", { body: [{ id: "ts/2", text: `${text} Dogs stay outside.` }] });
check(Array.isArray(more.data) && more.data[0]?.matches[0]?.id === "ts/1", more);
const asked = await client.POST("/v1/query", { body: { text }, params: { query: { matches: 5 } } });
check(typeof asked.data === "object" && !Array.isArray(asked.data), asked);
const match = asked.data.matches[0];
check(match?.id === "ts/1" && match.title === "Gardens" && match.relation === "duplicate", asked);

const page = await client.GET("/v1/pages/{id}", { params: { path: { id: "ts/1" } } });
check(page.data?.text === text, page);
const matches = await client.GET("/v1/pages/{id}/matches", { params: { path: { id: "ts/1" } } });
check(matches.data?.matches.length === 1 && matches.data.next === null, matches);
const stories = await client.GET("/v1/stories");
check(stories.data !== undefined, stories);
const told = await client.GET("/v1/explain", { params: { query: { a: "ts/1", b: "ts/2", offsets: "utf16" } } });
check(told.data?.relation === "duplicate" && told.data.checks[0]?.line !== undefined, told);

const condensed = await client.POST("/v1/condense", { body: ["ts/1", { text: "Another page." }, "ts/2"] });
check(condensed.data?.groups[0]?.others[0]?.id === "ts/2" && condensed.data.groups.length === 2, condensed);

const missing = await client.GET("/v1/pages/{id}", { params: { path: { id: "nobody" } } });
check(missing.error?.status === 404 && missing.error.detail.includes("nobody"), missing);
const wrong = await client.POST("/v1/pages", { body: { text } });
check(wrong.error?.status === 422, wrong);
console.log("openapi: the TypeScript client works");
