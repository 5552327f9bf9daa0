/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases in the format of html5lib-tests: #data, #errors, #script-on, #script-off,
 * #document-fragment, #document; the data are bytes. Lines before the first #data are comments,
 * lines of #errors are ignored. Also writes trees in the format of these tests.
 */
import fs from 'node:fs';
import { childrenOf, nameOf } from './tree.mjs';

/* [{file, number, data, script: 'on' | 'off' | undefined, fragment, document}] */
export function readCases(file) {
    const cases = [];
    let current = null;
    let part = '';
    for (const line of fs.readFileSync(file, 'latin1').replace(/\n$/, '').split('\n')) {
        if (line === '#data' && part !== 'data') {
            current = { number: cases.length + 1, parts: { data: [] } };
            cases.push(current);
            part = 'data';
        }
        else if (/^#(errors|new-errors|script-on|script-off|document|document-fragment)$/.test(line)) {
            part = line.slice(1);
            current.parts[part] = [];
        }
        else if (current) {
            current.parts[part].push(line);
        }
    }
    return cases.map(({ number, parts }) => ({
        file, number, data: parts.data.join('\n'),
        script: parts['script-on'] ? 'on' : parts['script-off'] ? 'off' : undefined,
        fragment: parts['document-fragment'] !== undefined,
        document: parts.document && parts.document.join('\n').replace(/\n+$/, ''),
    }));
}

function attributes(node) {
    return node.attrs.map((a) => [`${a.prefix ? a.prefix + ' ' : ''}${a.name}`, a.value])
        .sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

function dumpNode(lines, node, depth) {
    const pad = '| ' + '  '.repeat(depth);
    if (node.nodeName === '#text') {
        lines.push(`${pad}"${node.value}"`);
    }
    else if (node.nodeName === '#comment') {
        lines.push(`${pad}<!-- ${node.data} -->`);
    }
    else if (node.nodeName === '#documentType') {
        const ids = node.publicId || node.systemId ? ` "${node.publicId}" "${node.systemId}"` : '';
        lines.push(`${pad}<!DOCTYPE ${node.name}${ids}>`);
    }
    else {
        lines.push(`${pad}<${nameOf(node)}>`);
        for (const [name, value] of attributes(node)) {
            lines.push(`${pad}  ${name}="${value}"`);
        }
        if (node.content) {
            lines.push(`${pad}  content`);
        }
        for (const child of childrenOf(node)) {
            dumpNode(lines, child, depth + (node.content ? 2 : 1));
        }
    }
}

export function dump(document) {
    const lines = [];
    for (const node of document.childNodes) {
        dumpNode(lines, node, 0);
    }
    return lines.join('\n');
}
