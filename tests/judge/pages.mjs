/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as build/tests/judge/edits reads and edits them, one by one, and parse5's result for each.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';
import { judgeEdits } from './judge.mjs';
import { judgeSpans } from './spans.mjs';
import { parse } from './tree.mjs';

/*
 * Calls each(page, elements) for every file of paths, in order; elements are sets of names: {quiet,
 * code}, and marks with -m among percents.
 */
export async function eachPage(program, percents, paths, each) {
    const child = spawn(program, percents.map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => { child.on('close', resolve); });
    let elements = null;
    child.stdin.on('error', () => {}); /* it has ended: the status says so */
    child.stdin.end(paths.join('\n') + '\n', 'latin1');
    for await (const line of readline.createInterface({ input: child.stdout.setEncoding('latin1') })) {
        const said = JSON.parse(line);
        if (elements === null) {
            elements = { quiet: new Set(said.quiet), code: new Set(said.code), marks: said.marks };
        }
        else {
            await each(said, elements);
        }
    }
    const status = await ended;
    if (status !== 0) {
        throw new Error(`${program} ended with status ${status}`);
    }
}

export function readPage(path) {
    return fs.readFileSync(Buffer.from(path, 'latin1'), 'latin1');
}

/*
 * parse5's result for a page that is not declined: {spans, on, off}; off is null if scripts make no
 * difference.
 */
export async function judgePage(bytes, page, elements) {
    const document = parse(bytes, true, true);
    const trees = (scripts) => (text) => parse(text, scripts);
    return {
        spans: judgeSpans(page, bytes, document),
        on: await judgeEdits(bytes, page, document, trees(true), elements),
        off: /<noscript/i.test(bytes) ?
            await judgeEdits(bytes, page, parse(bytes, false), trees(false), elements) : null,
    };
}
