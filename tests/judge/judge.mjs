/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests edits by trees: the marked page has the tree of the page plus marks, the stripped page has
 * that tree without the marked nodes. trees(bytes) returns the document that a parser makes of
 * bytes, or a promise of it.
 */
import { countMarks, difference, write } from './tree.mjs';

/* The bytes after the edits [[start, end, text]..]. */
export function apply(bytes, edits) {
    const parts = [];
    let at = 0;
    for (const [start, end, text] of edits) {
        parts.push(bytes.slice(at, start), text);
        at = end;
    }
    parts.push(bytes.slice(at));
    return parts.join('');
}

function isMark([, , text]) {
    return text.startsWith(' data-tmpl') || text === '<!--tmpl-->';
}

function isComment([, , text]) {
    return text.startsWith('<!--');
}

/* {what, expected, found} of the first difference, or null. expected is the page's tree as text. */
export async function judgeDraw(bytes, draw, expected, trees, elements) {
    const found = (what, a, b) => {
        const parts = difference(a, b);
        return parts && { what, ...parts };
    };
    const marked = await trees(apply(bytes, draw.mark));
    const marks = draw.mark.filter(isMark).length;
    const inTree = countMarks(marked);
    if (inTree.marks < marks) {
        return { what: 'annotate: marks that are none', expected: `${marks} marks`, found: `${inTree.marks} marks` };
    }
    const comments = draw.mark.filter(isComment).length;
    if (inTree.comments !== comments) {
        return { what: 'annotate: comments like marks', expected: `${comments}`, found: `${inTree.comments}` };
    }
    const annotated = found('annotate', expected, write(marked));
    if (annotated || draw.strip.length === 0) {
        return annotated;
    }
    const same = JSON.stringify(draw.mark) === JSON.stringify(draw.cut);
    const cut = same ? marked : await trees(apply(bytes, draw.cut));
    return (same ? null : found('marks on what is cut', expected, write(cut))) ||
        found('strip', write(cut, elements), write(await trees(apply(bytes, draw.strip))));
}

/*
 * {edits, failed: null | {what, expected, found, draw}} over all draws of a page, whose tree is
 * document.
 */
export async function judgeEdits(bytes, page, document, trees, elements) {
    const expected = write(document);
    let edits = 0;
    for (const draw of page.draws) {
        const failed = await judgeDraw(bytes, draw, expected, trees, elements);
        edits += draw.strip.length;
        if (failed) {
            return { edits, failed: { ...failed, draw } };
        }
    }
    return { edits, failed: null };
}
