// Pictures of the page as people see it: `RUNQUEUE_URL=http://127.0.0.1:8080/ RUNQUEUE_CHROMIUM=/usr/bin/chromium npm run shots`.
// They land in screenshots/; the one of the README is docs/screenshot.png.

import { copyFile, mkdir } from "node:fs/promises";
import { chromium } from "@playwright/test";
import { CHROMIUM_FLAGS, given } from "./browser.mjs";

const SHOTS = [
  { name: "wide", width: 1440, height: 900, colours: "light" },
  { name: "wide-dark", width: 1440, height: 900, colours: "dark" },
  { name: "tablet", width: 820, height: 1180, colours: "light" },
  { name: "phone", width: 360, height: 760, colours: "light" },
  { name: "phone-dark", width: 360, height: 760, colours: "dark" },
];

const folder = new URL("screenshots/", import.meta.url).pathname;
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: given("RUNQUEUE_CHROMIUM"), args: CHROMIUM_FLAGS });
for (const { name, width, height, colours } of SHOTS) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: colours, deviceScaleFactor: width < 600 ? 2 : 1 });
  await page.goto(given("RUNQUEUE_URL"));
  await page.locator("[data-testid='headline'][data-state='full']").waitFor();
  // Time for the band, which is computed in the background.
  await page.waitForTimeout(8000);
  await page.screenshot({ path: `${folder}${name}.png` });
  await page.screenshot({ path: `${folder}${name}-whole.png`, fullPage: true });
  await page.close();
}
await browser.close();
await copyFile(`${folder}wide.png`, new URL("../docs/screenshot.png", import.meta.url).pathname);
console.log(`pictures are in ${folder}`);
