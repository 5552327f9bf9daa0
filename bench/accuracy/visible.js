// SPDX-License-Identifier: Apache-2.0
// For bench/accuracy/visible: the text that Chromium shows of pages, before and after strip. node
// visible.js DIR CHROMIUM. Reads a JSON object from each line: { name, original, stripped, texts },
// with the paths of two files and the texts to search for. Writes a JSON object a line: { name,
// failed } or { name, errors, seen, lost: [{ text, times, why }] }. DIR/node_modules has
// puppeteer-core.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const load = require('module').createRequire(path.join(path.resolve(process.argv[2]), 'x.js'));
const puppeteer = load('puppeteer-core');

const TABS = 2;
const WIDTH = 1280;
const HEIGHT = 900;
const TALLEST = 16000;
// milliseconds of the page's virtual clock, which skips waiting times
const SETTLE = 5000;
const REVEAL = 2000;
// milliseconds of real time for one page
const PATIENCE = 60000;

// Runs in the page: how often each text is visible, and the reasons where it is not.
function look(texts, tallest) {
    const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'IFRAME', 'OBJECT', 'TEXTAREA', 'SELECT', 'svg']);
    const found = new Map(texts.map((t) => [t, { seen: 0, why: [] }]));
    const say = (e) => e.localName + (e.id ? '#' + e.id : '') +
        (e.classList.length ? '.' + [...e.classList].slice(0, 2).join('.') : '');
    const up = (e) => e.assignedSlot || e.parentElement || (e.getRootNode().host ?? null);

    function unrendered(e) {
        const shown = (x) => x.checkVisibility();
        let top = e;
        while (up(top) && !shown(up(top))) top = up(top);
        const style = getComputedStyle(top);
        return style.display === 'none' ? 'display:none of ' + say(top) : 'not drawn: ' + say(top);
    }
    function transparent(e) {
        for (let x = e; x; x = up(x)) if (getComputedStyle(x).opacity === '0') return 'opacity:0 of ' + say(x);
        return 'visibility:hidden of ' + say(e);
    }
    function clipped(e, rect) {
        let { left, right, top, bottom } = rect;
        let out = false; // out of the flow: only the element it is positioned in clips it
        for (let x = e; x && x !== document.body; x = up(x)) {
            const style = getComputedStyle(x);
            const box = x.getBoundingClientRect();
            const holds = style.position !== 'static' || style.transform !== 'none';
            if (!out || holds) {
                if (/hidden|clip/.test(style.overflowX)) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
                if (/hidden|clip/.test(style.overflowY)) [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
                if (right - left <= 1 || bottom - top <= 1) return 'clipped by ' + say(x);
                out = false;
            }
            if (style.position === 'fixed') break;
            out ||= style.position === 'absolute';
        }
        return right + scrollX <= 0 || bottom + scrollY <= 0 ? 'outside of the page' : '';
    }
    function covered(e, rect) {
        const hit = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
        if (!hit || e.contains(hit) || hit.contains(e)) return '';
        for (let x = hit; x && !x.contains(e); x = x.parentElement) {
            const style = getComputedStyle(x);
            const box = x.getBoundingClientRect();
            const opaque = /^rgb\(/.test(style.backgroundColor) && Number(style.opacity) > 0.9;
            if (style.position === 'fixed' && opaque && box.width * box.height > innerWidth * innerHeight / 2) {
                return 'covered by ' + say(x);
            }
        }
        return '';
    }
    function hidden(node) {
        const e = node.parentElement ?? node.getRootNode().host;
        if (!e.checkVisibility()) return unrendered(e);
        if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return transparent(e);
        const range = document.createRange();
        range.selectNodeContents(node);
        const rect = [...range.getClientRects()].find((r) => r.width > 1 && r.height > 1);
        return rect === undefined ? 'no room in ' + say(e) : clipped(e, rect) || covered(e, rect);
    }
    function walk(root) {
        for (let node = root.firstChild; node; node = node.nextSibling) {
            if (node.nodeType === 3) {
                const of = found.get(node.data.replace(/\s+/g, ' ').trim());
                const why = of && hidden(node);
                if (of && why) of.why.push(why);
                else if (of) of.seen++;
            } else if (node.nodeType === 1 && !SKIP.has(node.nodeName)) {
                if (node.shadowRoot) walk(node.shadowRoot);
                walk(node);
            }
        }
    }
    if (tallest) return Math.min(document.documentElement.scrollHeight, tallest);
    if (document.body) walk(document.body);
    return [...found];
}

// Runs in an empty page: how often each text is in the source, without running scripts.
function count(source, texts) {
    const counts = new Map(texts.map((t) => [t, 0]));
    const body = new DOMParser().parseFromString(source, 'text/html').body;
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.data.replace(/\s+/g, ' ').trim();
        const out = walker.currentNode.parentElement.closest('script, style, noscript, template, svg, select, textarea, iframe, object');
        if (counts.has(text) && !out) counts.set(text, counts.get(text) + 1);
    }
    return [...counts];
}

async function spend(client, budget) {
    const expired = new Promise((done) => client.once('Emulation.virtualTimeBudgetExpired', done));
    await client.send('Emulation.setVirtualTimePolicy',
        { policy: 'pauseIfNetworkFetchesPending', budget, maxVirtualTimeTaskStarvationCount: 10000 });
    await expired;
}

// Loads a document without network, and examines it.
async function show(browser, body, texts) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const errors = [];
    let asked = 0;
    try {
        const client = await page.createCDPSession();
        await page.setViewport({ width: WIDTH, height: HEIGHT });
        await page.setRequestInterception(true);
        page.on('request', (r) => (asked++ === 0 ? r.respond({ contentType: 'text/html', body }) : r.abort()).catch(() => {}));
        page.on('dialog', (d) => d.dismiss().catch(() => {}));
        page.on('pageerror', (e) => errors.push(String(e?.message ?? e).split('\n')[0]));
        page.on('console', (m) => m.type() === 'error' && !/Failed to load|net::ERR|CORS policy/.test(m.text()) &&
            errors.push('console: ' + m.text().split('\n')[0].slice(0, 200)));
        await page.goto('https://page.invalid/', { waitUntil: 'load', timeout: PATIENCE / 2 });
        await spend(client, SETTLE);
        const { executionContextId: contextId } = await client.send('Page.createIsolatedWorld', { frameId: page.mainFrame()._id });
        const run = async (...args) => {
            const said = await client.send('Runtime.evaluate', { contextId, returnByValue: true,
                expression: `(${look})(${args.map((a) => JSON.stringify(a)).join(',')})` });
            if (said.exceptionDetails) throw new Error(said.exceptionDetails.exception.description);
            return said.result.value;
        };
        await page.setViewport({ width: WIDTH, height: Math.max(HEIGHT, await run([], TALLEST)) });
        await spend(client, REVEAL);
        return { texts: new Map(await run(texts, 0)), errors };
    } finally {
        await context.close();
    }
}

function late(promise) {
    let timer;
    const limit = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('not done in time')), PATIENCE); });
    return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

// Errors that the stripped page has more often than the original.
function fresh(errors, known) {
    const left = [...known];
    return errors.filter((e) => {
        const at = left.indexOf(e);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
    });
}

async function compare(browser, blank, job) {
    const [original, stripped] = [job.original, job.stripped].map((f) => fs.readFileSync(f));
    const before = await late(show(browser, original, job.texts));
    const after = await late(show(browser, stripped, job.texts));
    const [stood, left] = await Promise.all([original, stripped].map(
        async (source) => new Map(await blank.evaluate(count, new TextDecoder().decode(source), job.texts))));
    const lost = [];
    const seen = [];
    for (const [text, was] of before.texts) {
        const is = after.texts.get(text);
        // if a text occurs twice, the visible one may be the one that was cut
        const due = Math.max(0, was.seen - (stood.get(text) - left.get(text)));
        seen.push([text, due]);
        if (is.seen < due) lost.push({ text, times: due - is.seen, why: is.why[0] ?? 'a script took it away' });
    }
    return { name: job.name, errors: fresh(after.errors, before.errors), seen, lost };
}

async function main() {
    const browser = await puppeteer.launch({ executablePath: process.argv[3], headless: true, args: [
        '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=127.0.0.1:9',
        '--block-new-web-contents'] });
    const blank = await browser.newPage();
    const jobs = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const tab = async () => {
        for (let line = await jobs.next(); !line.done; line = await jobs.next()) {
            const job = JSON.parse(line.value);
            const said = await compare(browser, blank, job).catch((e) => ({ name: job.name, failed: e.message }));
            console.log(JSON.stringify(said));
        }
    };
    await Promise.all(Array.from({ length: TABS }, tab));
    await browser.close();
}

main().catch((e) => { console.error(e.message); process.exit(1); });
