/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node marks.mjs [-v] PROGRAM PERCENT.. < LIST
 *
 * Judges the marks of all presets (edits.c, -m) on the pages in LIST, with random verdicts. parse5
 * reads the page with and without them, and then each preset's reader is played on the trees:
 *
 *   1. without marks both trees are the same
 *   2. comments are flat and closed: ours begin where the reader reads, and end where it does not
 *   3. the share of template text that the reader reads is what the module calls unmarked, or less
 *      on a page that brings marks
 *   4. the reader reads all content that it reads in the page without our marks
 *
 * Prints the faults, -v all of each page, and sums. Exit status 1 if there are faults.
 */
import fs from 'node:fs';
import { apply } from './judge.mjs';
import { eachPage, readPage } from './pages.mjs';
import { childrenOf, parse, skipped, write } from './tree.mjs';

const SHOWN = 3;
const CLOSE = 2e-6; /* shares are printed with nine digits */

/* The text of a comment as is_own() in rewrite.c compares it, or null: a comment of no mark. */
function begins(data, comment) {
    const name = comment.slice('<!--'.length, -'-->'.length).trimStart();
    const colon = name.indexOf(':');
    const text = data.replace(/^[ \t\n\f\r]+/, '').toLowerCase();
    return colon >= 0 ? text.startsWith(name.slice(0, colon + 1).toLowerCase()) : text === name.toLowerCase();
}

/* What the mark makes of an attribute: it leaves the element out. */
function leavesOut(mark, element) {
    const attr = mark.attribute && element.attrs.find((a) => a.name === mark.attribute);
    return Boolean(attr) && (mark.value === '' || attr.value.toLowerCase() === mark.value) &&
        (mark.elements === '' || mark.elements.split(' ').includes(element.tagName));
}

/*
 * What a mark's reader reads. left is the intervals of the source that it leaves out: [start, end] of
 * texts, and start tags. ours(offset) says whether a comment there is ours.
 */
class Reader {
    constructor(mark, shift, ours) {
        Object.assign(this, { mark, shift, ours, off: false, left: [], seen: new Set(), faults: [] });
    }

    comment(node) {
        const { mark } = this;
        const begin = mark.begin !== '' && begins(node.data, mark.begin);
        const end = mark.end !== '' && begins(node.data, mark.end);
        if (!begin && !end) {
            return;
        }
        const at = node.sourceCodeLocation.startOffset + this.shift;
        if (this.ours(at) && this.off === begin) {
            this.faults.push(`${mark.name}: a comment that ${begin ? 'begins in a range' : 'ends none'} at ${at}`);
        }
        this.off = begin;
        this.last = this.ours(at) ? at : -1;
    }

    read(document) {
        this.walk(document.childNodes, false);
        if (this.off && this.last >= 0) {
            this.faults.push(`${this.mark.name}: nothing ends the range from ${this.last} on`);
        }
        return this;
    }

    walk(nodes, inside) {
        for (const node of nodes) {
            const place = node.sourceCodeLocation;
            if (node.nodeName === '#comment') {
                this.comment(node);
            }
            else if (node.nodeName === '#text') {
                if (place && (inside || this.off)) {
                    this.left.push([place.startOffset + this.shift, place.endOffset + this.shift]);
                }
            }
            else if (node.attrs) {
                const out = inside || leavesOut(this.mark, node);
                /* elements that HTML5 opens again have the place of the first */
                const isFirst = place && !this.seen.has(place.startOffset) && this.seen.add(place.startOffset);
                if (isFirst && (out || this.off)) {
                    this.left.push([place.startOffset + this.shift, place.startOffset + this.shift + 1]);
                }
                this.walk(childrenOf(node), out);
            }
        }
    }

    /* Of each of these offsets, which ascend, whether it is left out. */
    leaves(offsets) {
        const left = this.left.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        let k = 0;
        return offsets.map((at) => {
            while (k < left.length && left[k][1] <= at) {
                k++;
            }
            return k < left.length && left[k][0] <= at;
        });
    }
}

/* Removes marks of all presets, ours and the page's, from a tree. */
function clear(node, marks) {
    const names = new Set(marks.map((m) => m.attribute));
    const isMark = (n) => n.nodeName === '#comment' &&
        marks.some((m) => m.begin !== '' && (begins(n.data, m.begin) || begins(n.data, m.end)));
    if (node.attrs) {
        node.attrs = node.attrs.filter((a) => !names.has(a.name));
    }
    const holder = node.content || node;
    if (holder.childNodes) {
        holder.childNodes = holder.childNodes.filter((n) => !isMark(n));
        holder.childNodes.forEach((n) => clear(n, marks));
    }
    return node;
}

function judgeDraw(bytes, page, draw, marks, read) {
    const marked = apply(bytes, draw.all);
    const document = parse(marked, true, true);
    const shift = skipped(bytes);
    const inserted = new Map();
    const starts = [];
    let added = 0, k = 0;
    for (const [at, end, text] of draw.all) {
        if (at !== end) {
            return [`an edit that replaces bytes at ${at}`];
        }
        inserted.set(at + added, text);
        added += text.length;
    }
    added = 0;
    for (const [at] of page.segments) {
        while (k < draw.all.length && draw.all[k][0] <= at) {
            added += draw.all[k++][2].length;
        }
        starts.push(at + added);
    }
    const isTemplate = page.segments.map(([, , block]) => draw.template[block] === 1);
    const template = page.segments.reduce((sum, [, length], i) => sum + (isTemplate[i] ? length : 0), 0);
    const faults = [];
    marks.forEach((mark, m) => {
        const reader = new Reader(mark, shift, (at) => inserted.has(at) && inserted.get(at).startsWith('<!--'))
            .read(document);
        faults.push(...reader.faults);
        const left = reader.leaves(starts);
        const missing = page.segments.reduce((sum, [, length], i) => sum + (isTemplate[i] && !left[i] ? length : 0), 0);
        const share = template > 0 ? missing / template : 0;
        /* it may be less where an element around a cut has a mark of the page's own */
        const most = read[m].includes(true) ? Infinity : CLOSE;
        if (share - draw.unmarked[m] > CLOSE || draw.unmarked[m] - share > most) {
            faults.push(`${mark.name}: ${share} of template is read, not ${draw.unmarked[m]}`);
        }
        const lost = left.findIndex((is, i) => is && !isTemplate[i] && !read[m][i]);
        if (lost >= 0) {
            faults.push(`${mark.name}: content is left out at ${page.segments[lost][0]}`);
        }
    });
    clear(document, marks);
    if (write(document) !== page.tree) {
        faults.push('the tree differs');
    }
    return faults.map((fault) => `draw of ${draw.percent}%: ${fault}`);
}

/* The document is changed. */
function judgePage(bytes, page, marks) {
    const document = parse(bytes, true, true);
    const starts = page.segments.map(([at]) => at);
    const read = marks.map((mark) => new Reader(mark, skipped(bytes), () => false).read(document).leaves(starts));
    page.tree = write(clear(document, marks));
    return page.draws.flatMap((draw) => judgeDraw(bytes, page, draw, marks, read));
}

const args = process.argv.slice(2);
const verbose = args[0] === '-v' && args.shift() === '-v';
const [program, ...percents] = args;
const list = fs.readFileSync(0, 'latin1').split('\n').filter((line) => line !== '');
const sums = { pages: 0, declined: 0, marks: 0, faulty: 0 };
const unmarked = new Map();
let names = [];
await eachPage(program, ['-m', ...percents], list, async (page, elements) => {
    names = elements.marks.map((mark) => mark.name);
    sums.pages++;
    if (page.decline) {
        sums.declined++;
        return;
    }
    const faults = judgePage(readPage(page.path), page, elements.marks);
    sums.faulty += faults.length > 0 ? 1 : 0;
    for (const draw of page.draws) {
        sums.marks += draw.all.length;
        draw.unmarked.forEach((share, i) => unmarked.set(names[i], (unmarked.get(names[i]) || 0) + share));
    }
    faults.slice(0, verbose ? undefined : SHOWN).forEach((fault) => console.log(`${page.path}: ${fault}`));
});
const draws = (sums.pages - sums.declined) * percents.length || 1;
console.log(`pages ${sums.pages}, declined ${sums.declined}, insertions ${sums.marks}, pages with faults ${sums.faulty}`);
console.log(`unmarked: ${names.map((name) => `${name} ${(unmarked.get(name) / draws).toFixed(4)}`).join(', ')}`);
process.exitCode = sums.faulty > 0 || sums.pages < list.length ? 1 : 0;
