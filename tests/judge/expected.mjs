/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where no parser here has the tree that is expected, what can be compared with it: the names of a page's nodes in
 * order. What HTML5 implies cannot be told from what has a tag, so elements that it may imply are left out.
 */
const IMPLIED = new Set(['body', 'tbody', 'tr', 'colgroup', 'p']);

export function namesOfPage(page) {
    return page.nodes.slice(1).map((node) => node[0]).filter((name) => !IMPLIED.has(name)).join(' ');
}

/* The names in the body of an expected tree, but for those inside of what is not seen. */
export function namesOfExpected(document, elements) {
    const names = [];
    let quiet = Infinity;
    let inBody = false;
    for (const [, pad, name] of document.matchAll(/^\| ( *)<([^!>][^>]*)>$/gm)) {
        inBody = inBody || (pad.length === 2 && name === 'body');
        quiet = pad.length <= quiet ? Infinity : quiet;
        if (inBody && quiet === Infinity) {
            names.push(name.replace(/^(svg|math) /, ''));
            quiet = elements.quiet.has(names.at(-1)) ? pad.length : Infinity;
        }
    }
    return names.filter((name) => !IMPLIED.has(name)).join(' ');
}
