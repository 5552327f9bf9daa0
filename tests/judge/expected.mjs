/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the names of a page's nodes, in order, with an expected tree that no parser here
 * produces. Elements that HTML5 may imply are left out, because the expected tree does not show
 * whether they have a tag.
 */
const IMPLIED = new Set(['body', 'tbody', 'tr', 'colgroup', 'p']);

export function namesOfPage(page) {
    return page.nodes.slice(1).map((node) => node[0]).filter((name) => !IMPLIED.has(name)).join(' ');
}

/* The names in the body of an expected tree, except those inside of quiet elements. */
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
