// What happens when a worker fails, which no valid scenario should bring about.

import { expect, simulated, test } from "../fixtures.mjs";

/** Run before the page: runs are sent with a kernel that ticks 0 times a second, until another seed is opened: the
 * page may write its address before its workers are ready. */
const spoilRuns = () => {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.kind === "Run" && !location.hash.includes("seed=2")) {
      // 250 Hz in postcard's format, which nothing before it contains.
      const bytes = Array.from(message.m);
      const hz = bytes.findIndex((byte, at) => byte === 0xfa && bytes[at + 1] === 0x01);
      bytes.splice(hz, 2, 0);
      message = { ...message, m: Uint8Array.from(bytes) };
    }
    return post.call(this, message, ...rest);
  };
};

test("a worker that fails says why and is replaced", async ({ page, complaints }) => {
  await page.addInitScript(spoilRuns);
  await page.goto("./");
  await expect(page.getByText(/The engine failed/).first()).toBeVisible();
  await page.goto("./#1/hikey-schbench?seed=2~");
  expect(await simulated(page)).toHaveLength(3);
  // What the browser itself says of the panic is no complaint of the page.
  const others = complaints.filter((text) => !/panicked|unreachable/.test(text));
  complaints.splice(0, complaints.length, ...others);
});
