// SPDX-License-Identifier: Apache-2.0
// bench/accuracy/baselines: the title and text that Mozilla's Readability or defuddle keeps of pages.
// node baseline_dom.js TOOL DIR < lines of IN, tab, OUT; DIR/node_modules has the tools and their DOMs.
// Pages are UTF-8. A page that fails, or takes longer than LIMIT seconds, is empty.
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const load = require('module').createRequire(path.join(path.resolve(process.argv[3]), 'x.js'));
const { JSDOM, VirtualConsole } = load('jsdom');

const LIMIT = 20;
const BASE = 'https://example.com/';
const TOOLS = {
    readability() {
        const { Readability } = load('@mozilla/readability');
        return (html) => {
            const dom = new JSDOM(html, { url: BASE, virtualConsole: new VirtualConsole() });
            return new Readability(dom.window.document).parse();
        };
    },
    // linkedom: with jsdom, defuddle takes three times as long, for the same text
    defuddle() {
        const Defuddle = load('defuddle');
        const { parseHTML } = load('linkedom');
        return (html) => new (Defuddle.default || Defuddle)(parseHTML(html).document, { url: BASE }).parse();
    },
};
const extract = TOOLS[process.argv[2]]();

// Text nodes stay apart, as the scorer reads them: words of neighbouring cells are not joined.
function textOf(fragment) {
    const walker = fragment.ownerDocument.createTreeWalker(fragment, 4);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts.join('\n');
}

for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue;
    const [from, to] = line.split('\t');
    let text = '';
    globalThis.readPage = () => {
        const found = extract(fs.readFileSync(from, 'utf8'));
        if (found) text = `${found.title || ''}\n${textOf(JSDOM.fragment(found.content))}`;
    };
    try {
        vm.runInThisContext('readPage()', { timeout: LIMIT * 1000 });
    } catch (e) {
        // the page stays empty
    }
    fs.writeFileSync(to, text);
}
