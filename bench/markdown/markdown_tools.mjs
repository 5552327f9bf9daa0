// SPDX-License-Identifier: Apache-2.0
// bench/markdown/baselines-markdown: the Markdown that other programs make of pages.
// node markdown_tools.mjs TOOL DIR < lines of IN, tab, OUT; DIR/node_modules has the programs and linkedom.
// Pages are UTF-8. A page that fails, or takes longer than LIMIT seconds, is empty. The title that a program finds is
// the first line, as a heading, unless its text begins with one.
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const LIMIT = 20;
const URL_OF_PAGE = 'https://example.com/page';

async function tools(name, dir) {
    const modules = path.join(path.resolve(dir), 'node_modules');
    const load = createRequire(path.join(modules, 'x.js'));
    const { parseHTML } = load('linkedom');
    const titled = (title, text) => (/^# /.test(text) || !title ? text : `# ${title}\n\n${text}`);
    return {
        async defuddle() {
            const { Defuddle } = await import(path.join(modules, 'defuddle/dist/node.js'));
            return async (html) => {
                const found = await Defuddle(parseHTML(html).document, URL_OF_PAGE, { markdown: true });
                return titled(found.title, found.content);
            };
        },
        async readability() {
            const { Readability } = load('@mozilla/readability');
            const Turndown = load('turndown');
            const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
            turndown.use(load('turndown-plugin-gfm').gfm);
            return (html) => {
                const found = new Readability(parseHTML(html).document).parse();
                if (!found) return '';
                const { document } = parseHTML(`<html><body>${found.content}</body></html>`);
                return titled(found.title, turndown.turndown(document.body));
            };
        },
        async mdream() {
            const { htmlToMarkdown } = await import(path.join(modules, '@mdream/js/dist/index.mjs'));
            return (html) => htmlToMarkdown(html, { minimal: true, origin: 'https://example.com' });
        },
        async none() {
            return () => '';
        },
    }[name]();
}

async function work() {
    const convert = await tools(workerData.tool, workerData.dir);
    console.log = console.warn = console.error = () => {};
    parentPort.on('message', async (from) => {
        let text = '';
        try {
            text = await convert(fs.readFileSync(from, 'utf8'));
        } catch (e) {
            // the page stays empty
        }
        parentPort.postMessage(text);
    });
}

async function main() {
    const [tool, dir] = process.argv.slice(2);
    await tools(tool, dir); // fails if it is not installed
    const start = () => new Worker(new URL(import.meta.url), { workerData: { tool, dir } });
    let worker = start();
    for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
        if (line === '') continue;
        const [from, to] = line.split('\t');
        const late = AbortSignal.timeout(LIMIT * 1000);
        worker.postMessage(from);
        const answer = await once(worker, 'message', { signal: late }).catch(() => null);
        if (!answer) {
            await worker.terminate();
            worker = start();
        }
        fs.writeFileSync(to, answer ? answer[0] : '');
    }
    await worker.terminate();
}

await (isMainThread ? main() : work());
