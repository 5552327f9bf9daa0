/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node look.mjs NODE_DIR < VIEWS
 *
 * Opens pages in Chromium and says what it sees. VIEWS is a JSON array; Browser.pm lists the fields
 * of a view and of a result. Writes a JSON array with a result for each view. NODE_DIR has the npm
 * packages; CHROMIUM names the browser.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const load = createRequire(path.resolve(process.argv[2], 'x.js'));
const { chromium } = load('playwright-core');
const axe = fs.readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE = 60000; /* ms for a page */
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="100%" height="100%" fill="#8899aa"/></svg>';

/* Answers requests for pictures, notes all others, and lets none leave this machine. */
async function keep(page, url, asked) {
    await page.route((to) => to.href !== url && to.href.split('#')[0] !== url, (route) => {
        if (route.request().resourceType() === 'image') {
            return route.fulfill({ contentType: 'image/svg+xml', body: PICTURE });
        }
        asked.push(`${route.request().resourceType()} ${route.request().url()}`);
        return route.abort();
    });
}

/* Waits for promises, so it needs scripts in the page. */
async function violations(page, tags) {
    await page.evaluate(axe);
    const run = async (runOnly) => (await globalThis.axe.run(runOnly ? { runOnly } : {})).violations.map((rule) => ({
        id: rule.id, help: rule.help, where: rule.nodes.map((node) => node.target.join(' ')),
    }));
    return page.evaluate(run, tags);
}

async function look(browser, view) {
    const context = await browser.newContext({
        viewport: { width: view.width ?? 1280, height: view.height ?? 900 },
        colorScheme: view.dark ? 'dark' : 'light',
        javaScriptEnabled: view.script ?? true,
        extraHTTPHeaders: view.headers ?? {},
        reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const said = [];
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) {
            said.push(message.text());
        }
    });
    page.on('pageerror', (error) => said.push(error.message));
    page.on('requestfailed', (request) => said.push(`not loaded: ${request.url()}`));
    page.setDefaultTimeout(PATIENCE);
    const asked = [];
    if (view.alone) {
        await keep(page, view.url, asked);
    }
    if (view.print) {
        await page.emulateMedia({ media: 'print' });
    }
    const response = await page.goto(view.url, { waitUntil: 'load' });
    for (const key of view.press ?? []) {
        await page.keyboard.press(key);
    }
    if (view.press_on) { /* in the middle of an element that is no target of click() */
        const box = await page.locator(view.press_on).boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    }
    const result = {
        /* a data: URL has no response */
        status: response?.status() ?? 200,
        headers: response?.headers() ?? {},
        overflow: await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    };
    if (view.evaluate) {
        result.value = await page.evaluate(view.evaluate);
    }
    if (view.click) {
        await Promise.all([page.waitForNavigation(), page.click(view.click)]);
        result.after = { url: page.url(), text: await page.evaluate('document.body.innerText') };
    }
    if (view.shot) {
        await page.screenshot({ path: view.shot, fullPage: view.whole ?? false });
    }
    if (view.pdf) {
        await page.pdf({ path: view.pdf, format: 'A4' });
    }
    if (view.axe) {
        result.axe = await violations(page, view.axe === true ? undefined : view.axe);
    }
    await context.close();
    return { ...result, asked, said };
}

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', timeout: PATIENCE,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
        '--disable-component-update', '--no-first-run', '--hide-scrollbars'],
});
const views = JSON.parse(fs.readFileSync(0, 'utf8'));
const results = [];
let next = 0;
/* two at a time: one waits for half of its time */
async function some() {
    while (next < views.length) {
        const i = next++;
        results[i] = await look(browser, views[i]);
    }
}
await Promise.all([some(), some()]);
await browser.close();
console.log(JSON.stringify(results));
