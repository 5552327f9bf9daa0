/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node cases.mjs [-v] PROGRAM [--around] FILE.dat..
 *
 * Compares complete documents in the format of html5lib-tests (dat.mjs) with parse5. If a case has
 * an expected tree that differs from parse5's, it is counted and parse5's tree is not used. A page
 * without text is declined (empty), so such a case gets an x at its end. A case counts for the
 * first of these that applies:
 *
 *   declined      the module declines the page
 *   other judge   parse5's tree is not the expected one: only names and nesting are compared with that
 *   tree          a node is another element, or is in another element
 *   edits         an edit changed more than it should; "off": only with scripts off
 *   agree         no difference
 *
 * --around: each case is also tested within other pages. Prints a table of files; -v: the cases
 * that differ. Exit status 1 if there are any.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { dump, readCases } from './dat.mjs';
import { namesOfExpected, namesOfPage } from './expected.mjs';
import { eachPage, judgePage, readPage } from './pages.mjs';
import { parse } from './tree.mjs';

const PERCENTS = ['-a', 100, 80, 50, 50, 50, 20, 20];
const COLUMNS = ['cases', 'agree', 'declined', 'other judge', 'tree', 'edits', 'off'];

/* Pages around a case: one with more to cut, one with the case in a table cell. */
const AROUND = [
    ['', ''], ['<!DOCTYPE html><html><body><p>head</p>', '</body></html>'], ['<body><div id=w>', '<div>tail</div></div>'],
    ['<body><table><tr><td>', '<td><div>tail</div></table>'], ['<p>head<b>bold', '</b>tail</p>'],
];

const utf8 = (bytes) => Buffer.from(bytes, 'latin1').toString('utf8');

/*
 * The expected tree is with scripts on unless the case says otherwise; tree and edits are compared
 * both ways.
 */
async function verdictOf(test, page, elements) {
    if (page.decline) {
        return { kind: 'declined', why: page.decline };
    }
    const judged = await judgePage(readPage(page.path), page, elements);
    const scripts = test.script !== 'off';
    if (test.document !== undefined && dump(parse(utf8(test.data), scripts)) !== utf8(test.document)) {
        const ours = namesOfPage(page);
        const theirs = namesOfExpected(test.document, elements);
        return { kind: 'other judge', why: ours === theirs ? '' : `${ours}, expected ${theirs}` };
    }
    if (judged.spans.differences.length > 0) {
        return { kind: 'tree', why: judged.spans.differences.join('\n    ') };
    }
    for (const [kind, failed] of [['edits', judged.on.failed], ['off', judged.off && judged.off.failed]]) {
        if (failed) {
            return { kind, why: `${failed.what}, ${JSON.stringify(failed.draw)}\n    expected ` +
                `${JSON.stringify(failed.expected)}\n    found    ${JSON.stringify(failed.found)}` };
        }
    }
    return { kind: 'agree', why: '', moved: judged.spans.moved, edits: judged.on.edits };
}

/*
 * Tests the cases, each followed by end. Returns those without text; it tests these only if last is
 * set.
 */
async function judgeCases(program, cases, dir, end, last, each) {
    const empty = [];
    const paths = cases.map((test, i) => {
        const file = path.join(dir, `${i}${end}.html`);
        fs.writeFileSync(file, test.data + end, 'latin1');
        return file;
    });
    let i = 0;
    await eachPage(program, PERCENTS, paths, async (page, elements) => {
        const test = cases[i++];
        if (page.decline === 'empty' && !last) {
            empty.push(test);
        }
        else {
            each(test, await verdictOf(test, page, elements));
        }
    });
    return empty;
}

function row(name, counts) {
    return name.padEnd(44) + COLUMNS.map((c) => String(counts[c] || 0).padStart(c.length + 2)).join('');
}

async function main() {
    const args = process.argv.slice(2);
    const verbose = args[0] === '-v' && args.shift() === '-v';
    const program = args.shift();
    const around = args[0] === '--around' && args.shift() === '--around' ? AROUND : AROUND.slice(0, 1);
    const files = args;
    const cases = files.flatMap(readCases).filter((test) => !test.fragment)
        .flatMap((test) => around.map(([front, behind]) => ({ ...test, data: front + test.data + behind })));
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tmpl-cases-'));
    const tables = new Map([...files.map((file) => [file, {}]), ['all', {}]]);
    const reasons = new Map();
    let edits = 0;
    let moved = 0;
    try {
        const each = (test, verdict) => {
            for (const counts of [tables.get(test.file), tables.get('all')]) {
                counts.cases = (counts.cases || 0) + 1;
                counts[verdict.kind] = (counts[verdict.kind] || 0) + 1;
            }
            edits += verdict.edits || 0;
            moved += verdict.moved || 0;
            if (verdict.kind === 'declined') {
                reasons.set(verdict.why, (reasons.get(verdict.why) || 0) + 1);
            }
            if (verbose && verdict.kind !== 'agree') {
                console.log(`${path.basename(test.file)}:${test.number} ${JSON.stringify(test.data)}`);
                console.log(`  ${verdict.kind}: ${verdict.why}`);
            }
        };
        const empty = await judgeCases(program, cases, dir, '', false, each);
        await judgeCases(program, empty, dir, 'x', true, each);
    }
    finally {
        fs.rmSync(dir, { recursive: true });
    }
    console.log(' '.repeat(44) + COLUMNS.map((c) => `  ${c}`).join(''));
    tables.forEach((counts, file) => counts.cases && console.log(row(path.basename(file), counts)));
    console.log(`declined: ${[...reasons].sort((a, b) => b[1] - a[1]).map(([r, n]) => `${r} ${n}`).join(', ') || 'none'}; ` +
        `edits ${edits}; elements and texts moved out of tables ${moved}`);
    const { tree = 0, edits: wrong = 0, off = 0 } = tables.get('all');
    process.exitCode = tree + wrong + off > 0 ? 1 : 0;
}

await main();
