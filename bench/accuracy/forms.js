// SPDX-License-Identifier: Apache-2.0
// For bench/accuracy/forms: the accessible names of controls, as Chromium computes them without
// scripts. node forms.js DIR CHROMIUM. Reads from each line a JSON array: a name, and the paths of
// two files. Writes a JSON array a line: the name, and for each file an object that has the name of
// each element with an attribute data-n, by its value. DIR/node_modules has puppeteer-core.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const load = require('module').createRequire(path.join(path.resolve(process.argv[2]), 'x.js'));
const puppeteer = load('puppeteer-core');

function numbers(node, of) {
    const at = (node.attributes ?? []).indexOf('data-n');
    if (at >= 0 && at % 2 === 0) of.set(node.backendNodeId, node.attributes[at + 1]);
    for (const child of [...(node.children ?? []), ...(node.shadowRoots ?? [])]) numbers(child, of);
    return of;
}

async function names(browser, body) {
    const page = await browser.newPage();
    try {
        let asked = 0;
        await page.setJavaScriptEnabled(false);
        await page.setRequestInterception(true);
        page.on('request', (r) => (asked++ === 0 ? r.respond({ contentType: 'text/html', body }) : r.abort()).catch(() => {}));
        await page.goto('https://page.invalid/', { waitUntil: 'domcontentloaded', timeout: 90000 });
        const client = await page.createCDPSession();
        const { root } = await client.send('DOM.getDocument', { depth: -1, pierce: true });
        const { nodes } = await client.send('Accessibility.getFullAXTree');
        const of = numbers(root, new Map());
        const said = {};
        for (const node of nodes) {
            if (of.has(node.backendDOMNodeId)) said[of.get(node.backendDOMNodeId)] = (node.name?.value ?? '').trim();
        }
        return said;
    } finally {
        await page.close();
    }
}

async function main() {
    const browser = await puppeteer.launch({ executablePath: process.argv[3], headless: true, args: [
        '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=127.0.0.1:9'] });
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [name, before, after] = JSON.parse(line);
        console.log(JSON.stringify([name, await names(browser, fs.readFileSync(before)), await names(browser, fs.readFileSync(after))]));
    }
    await browser.close();
}

main().catch((e) => { console.error(e.message); process.exit(1); });
