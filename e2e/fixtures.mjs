import { execFileSync } from "node:child_process";
import { expect, test as base } from "@playwright/test";
import { given } from "./browser.mjs";

/** A test in which anything that the page complains about is a failure. */
export const test = base.extend({
  complaints: [
    async ({ page }, use) => {
      const complaints = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
          complaints.push(message.text());
        }
      });
      await use(complaints);
      expect(complaints, "the page complained in the console").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The trace hashes of the columns that the page shows, in their order. */
export const hashes = (page) =>
  page.locator("[data-trace-hash]").evaluateAll((found) => found.map((element) => element.dataset.traceHash));

/** Waits until both columns have been simulated and returns their trace hashes. */
export const simulated = async (page) => {
  await expect(page.locator("[data-trace-hash]")).toHaveCount(2);
  await expect.poll(() => hashes(page)).not.toContain("");
  return hashes(page);
};

/** What the command line answers, as JSON. */
export const runqueue = (...words) => JSON.parse(execFileSync(given("RUNQUEUE_CLI"), [...words, "--json"]));
