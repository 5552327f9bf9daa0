/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node reader.mjs NODE_DIR FILE...
 *
 * Reads pages of mode reader in two ways: as HTML, by parse5, and tag by tag, as they were meant. Prints
 * a line of JSON for each: { file, errors: [of parse5], differs: where the two trees differ, strange:
 * [elements and attributes that such pages do not have, addresses with other schemes], levels: of its
 * headings, lost: [fragments that links name and no element has] }.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const load = createRequire(path.resolve(process.argv[2], 'x.js'));
const { parse } = await import(load.resolve('parse5'));

const words = (text) => new Set(text.split(/\s+/));
const VOID = words('meta link img br hr wbr');
const ELEMENTS = words(`html head title meta link style body main article header footer section div span p h1 h2 h3 h4 h5 h6
    ul ol li dl dt dd blockquote figure figcaption pre details summary table caption thead tbody tfoot tr th td img br hr wbr a
    abbr b bdi bdo cite code del dfn em i ins kbd mark q rt ruby s samp small strong sub sup time u var
    math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup
    mtable mtd mtext mtr munder munderover`);
const ATTRIBUTES = words(`lang dir charset name content http-equiv rel href id class role tabindex aria-label src alt width height
    loading title colspan rowspan scope start type reversed value datetime open display
    accent accentunder columnalign columnspan depth displaystyle fence form largeop linethickness lspace mathvariant maxsize
    minsize movablelimits rspace scriptlevel separator stretchy symmetric voffset`);

/* The elements of a page as its tags say it, each as "path name attributes". */
function meant(html) {
    const found = [], open = [];
    for (const [, end, name, attributes] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)((?: [a-z-]+(?:="[^"]*")?)*)>/g)) {
        if (end) {
            if (open.pop() !== name) {
                return [...found, `</${name}> ends no element`];
            }
            continue;
        }
        const names = [...attributes.matchAll(/ ([a-z-]+)(?:="[^"]*")?/g)].map((attribute) => attribute[1]);
        found.push(`${open.join('/')} ${name} ${names.sort()}`);
        if (!VOID.has(name)) {
            open.push(name);
        }
    }
    return found;
}

function read(node, open, found, seen) {
    for (const child of node.childNodes ?? []) {
        if (!child.tagName) {
            continue;
        }
        const names = child.attrs.map((a) => a.name);
        found.push(`${open.join('/')} ${child.tagName} ${names.sort()}`);
        seen(child);
        read(child, [...open, child.tagName], found, seen);
    }
    return found;
}

function judge(file) {
    const html = fs.readFileSync(file, 'utf8');
    const errors = [], strange = [], levels = [], ids = new Set(), fragments = [];
    const tree = parse(html, { onParseError: (e) => errors.push(e.code) });
    const is = read(tree, [], [], (node) => {
        if (!ELEMENTS.has(node.tagName)) {
            strange.push(node.tagName);
        }
        if (/^h[1-6]$/.test(node.tagName)) {
            levels.push(Number(node.tagName[1]));
        }
        for (const { name, value } of node.attrs) {
            if (!ATTRIBUTES.has(name)) {
                strange.push(`${node.tagName} ${name}`);
            }
            if ((name === 'href' || name === 'src') && /^[a-z][a-z0-9+.-]*:/i.test(value) && !/^(?:https?|mailto|tel):/i.test(value)) {
                strange.push(value);
            }
            if (name === 'id') {
                if (ids.has(value)) {
                    strange.push(`id ${value} twice`);
                }
                ids.add(value);
            }
            if (name === 'href' && value.startsWith('#')) {
                fragments.push(value.slice(1));
            }
        }
    });
    const as = meant(html.replace(/<style>.*?<\/style>/s, '<style></style>').replace(/^<!doctype html>\n/, ''));
    const at = is.findIndex((element, i) => element !== as[i]);
    return {
        file, errors, strange, levels,
        differs: at >= 0 ? `${is[at]} is not ${as[at]}` : as.length > is.length ? `${as[is.length]} is missing` : '',
        lost: fragments.filter((id) => !ids.has(id) && !ids.has(decodeURIComponent(id))),
    };
}

for (const file of process.argv.slice(3)) {
    console.log(JSON.stringify(judge(file)));
}
