/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node chromium.mjs [-v] PROGRAM PERCENT.. < LIST
 *
 * Compares edits of the pages in LIST by the trees that Chromium builds, with scripts off (so
 * noscript is markup) and without a network. CHROMIUM names the browser. Exit status 1 if an edit
 * changed more than it should, or a page could not be loaded.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { judgeEdits } from './judge.mjs';
import { eachPage, readPage } from './pages.mjs';

const where = path.resolve(process.env.NODE_DIR, 'node_modules/puppeteer-core');
const main = JSON.parse(fs.readFileSync(path.join(where, 'package.json'), 'utf8')).exports['.'];
const { default: puppeteer } = await import(pathToFileURL(path.join(where, main.import || main.default || main)).href);

const ADDRESS = 'http://page.invalid/';
const PATIENCE = 60000; /* ms for a page */

/* Runs in the browser: the document in the form of parse5's. */
function readTree() {
    const children = (node) => [...node.childNodes].map(read);
    const read = (node) => {
        switch (node.nodeType) {
        case Node.TEXT_NODE:
        case Node.CDATA_SECTION_NODE:
            return { nodeName: '#text', value: node.data };
        case Node.COMMENT_NODE:
        case Node.PROCESSING_INSTRUCTION_NODE:
            return { nodeName: '#comment', data: node.data };
        case Node.DOCUMENT_TYPE_NODE:
            return { nodeName: '#documentType', name: node.name, publicId: node.publicId, systemId: node.systemId };
        default: {
            const element = {
                nodeName: node.localName, tagName: node.localName, namespaceURI: node.namespaceURI,
                attrs: [...node.attributes].map((a) => ({ name: a.name, value: a.value })),
                childNodes: children(node),
            };
            if (node.content instanceof DocumentFragment) {
                element.content = { childNodes: children(node.content) };
            }
            if (node.shadowRoot) {
                element.childNodes.unshift({
                    nodeName: 'shadow', tagName: 'shadow', attrs: [], childNodes: children(node.shadowRoot),
                });
            }
            return element;
        }
        }
    };
    return JSON.stringify({ mode: document.compatMode, childNodes: children(document) });
}

class Browser {
    async open() {
        this.browser = await puppeteer.launch({
            executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, timeout: PATIENCE,
            protocolTimeout: 2 * PATIENCE,
            args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
                '--disable-component-update', '--no-first-run', '--host-resolver-rules=MAP * ~NOTFOUND'],
        });
        this.page = await this.browser.newPage();
        await this.page.setJavaScriptEnabled(false);
        await this.page.setRequestInterception(true);
        this.page.on('request', (request) => this.answer(request));
    }

    answer(request) {
        const isPage = request.isNavigationRequest() && request.frame() === this.page.mainFrame() &&
            request.url() === ADDRESS && this.body;
        const answered = isPage ?
            request.respond({ contentType: 'text/html; charset=windows-1252', body: this.body }) : request.abort();
        answered.catch(() => {}); /* the page is no longer there */
    }

    async tree(bytes) {
        this.body = Buffer.from(bytes, 'latin1');
        await this.page.goto(ADDRESS, { waitUntil: 'domcontentloaded', timeout: PATIENCE });
        return JSON.parse(await this.page.evaluate(readTree));
    }

    close() {
        return this.browser.close();
    }
}

function report(page, failed, verbose) {
    console.log(`${page.path}: ${failed.what} diverges, draw of ${failed.draw.percent}%`);
    if (verbose) {
        console.log(['--- expected', failed.expected, '--- found', failed.found, '---'].join('\n'));
    }
}

async function run() {
    const args = process.argv.slice(2);
    const verbose = args[0] === '-v' && args.shift() === '-v';
    const [program, ...percents] = args;
    const paths = fs.readFileSync(0, 'latin1').split('\n').filter((line) => line !== '');
    const sums = { pages: 0, declined: 0, edits: 0, wrong: 0, lost: 0 };
    const browser = new Browser();
    await browser.open();
    const version = await browser.browser.version();
    await eachPage(program, percents, paths, async (page, elements) => {
        sums.pages++;
        if (page.decline) {
            sums.declined++;
            return;
        }
        const bytes = readPage(page.path);
        const trees = (text) => browser.tree(text);
        try {
            const { edits, failed } = await judgeEdits(bytes, page, await trees(bytes), trees, elements);
            sums.edits += edits;
            if (failed) {
                sums.wrong++;
                report(page, failed, verbose);
            }
        }
        catch (why) {
            sums.lost++;
            console.log(`${page.path}: not judged: ${why.message}`);
        }
    });
    await browser.close();
    console.log(`${version}, scripts off: pages ${sums.pages}, declined ${sums.declined}, not judged ${sums.lost}; ` +
        `edits ${sums.edits}, pages with divergences ${sums.wrong}`);
    process.exitCode = sums.wrong + sums.lost > 0 ? 1 : 0;
}

await run();
