/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node corpus.mjs [-v] PROGRAM JOBS PERCENT.. < LIST
 *
 * Compares the trees of the pages in LIST, and of random edits (edits.c), with parse5's. Prints the
 * differences, -v with both trees, and sums. Exit status 1 if there are differences.
 */
import fs from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { eachPage, judgePage, readPage } from './pages.mjs';

const SHOWN = 3; /* differences of a page's tree that are printed */

function said(path, verdict, verbose) {
    const lines = verdict.spans.differences.slice(0, verbose ? undefined : SHOWN).map((d) => `${path}: ${d}`);
    for (const scripts of ['on', 'off']) {
        const failed = verdict[scripts] && verdict[scripts].failed;
        if (failed) {
            lines.push(`${path}: scripts ${scripts}: ${failed.what} diverges, draw of ${failed.draw.percent}%`);
            if (verbose) {
                lines.push('--- expected', failed.expected, '--- found', failed.found, '---');
            }
        }
    }
    return lines;
}

async function work({ program, percents, paths, verbose }) {
    await eachPage(program, percents, paths, async (page, elements) => {
        if (page.decline) {
            parentPort.postMessage({ decline: page.decline, lines: [] });
            return;
        }
        const verdict = await judgePage(readPage(page.path), page, elements);
        parentPort.postMessage({
            lines: said(page.path, verdict, verbose), elements: verdict.spans.elements, moved: verdict.spans.moved,
            other: verdict.spans.differences.length > 0, edits: verdict.on.edits,
            on: verdict.on.failed !== null, both: verdict.off !== null, off: Boolean(verdict.off && verdict.off.failed),
        });
    });
}

function add(sums, m) {
    sums.pages++;
    if (m.decline) {
        sums.declines.set(m.decline, (sums.declines.get(m.decline) || 0) + 1);
        return;
    }
    for (const key of ['elements', 'moved', 'other', 'edits', 'on', 'both', 'off']) {
        sums[key] += Number(m[key]);
    }
}

function print(sums) {
    const declined = [...sums.declines].sort((a, b) => b[1] - a[1]);
    const total = declined.reduce((sum, [, n]) => sum + n, 0);
    const why = declined.map(([name, n]) => `${name} ${n}`).join(', ');
    console.log(`pages ${sums.pages}, declined ${total}${why ? ` (${why})` : ''}`);
    console.log(`trees ${sums.pages - total}, other trees ${sums.other}; elements ${sums.elements}, ` +
        `elements and texts moved out of tables ${sums.moved}`);
    console.log(`edits ${sums.edits}, pages with divergences: scripts on ${sums.on}, ` +
        `scripts off ${sums.off} (of ${sums.both} with noscript)`);
}

async function main() {
    const args = process.argv.slice(2);
    const verbose = args[0] === '-v' && args.shift() === '-v';
    const [program, jobs, ...percents] = args;
    const list = fs.readFileSync(0, 'latin1').split('\n').filter((line) => line !== '');
    const sums = { pages: 0, declines: new Map(), elements: 0, moved: 0, other: 0, edits: 0, on: 0, both: 0, off: 0 };
    await Promise.all(Array.from({ length: Number(jobs) }, (_, job) => new Promise((resolve, reject) => {
        const paths = list.filter((_path, i) => i % Number(jobs) === job);
        const worker = new Worker(fileURLToPath(import.meta.url), {
            workerData: { program, percents, paths, verbose },
            resourceLimits: { maxOldGenerationSizeMb: 4096 },
        });
        worker.on('message', (m) => {
            m.lines.forEach((line) => console.log(line));
            add(sums, m);
        });
        worker.on('error', reject);
        worker.on('exit', resolve);
    })));
    print(sums);
    process.exitCode = sums.other + sums.on + sums.off > 0 || sums.pages < list.length ? 1 : 0;
}

await (isMainThread ? main() : work(workerData));
