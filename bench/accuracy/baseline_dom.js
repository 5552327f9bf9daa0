// SPDX-License-Identifier: Apache-2.0
// bench/accuracy/baselines: the title and text that Mozilla's Readability or defuddle keeps of pages.
// node baseline_dom.js TOOL DIR < lines of IN, tab, OUT; DIR/node_modules has the tools and linkedom.
// (With jsdom both keep the same text, and take twice to three times as long.) Pages are UTF-8. A page
// that fails, or takes longer than LIMIT seconds, is empty.
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const load = require('module').createRequire(path.join(path.resolve(process.argv[3]), 'x.js'));
const { parseHTML } = load('linkedom');

const LIMIT = 20;
const TOOLS = {
    readability() {
        const { Readability } = load('@mozilla/readability');
        return (document) => new Readability(document).parse();
    },
    defuddle() {
        const Defuddle = load('defuddle');
        return (document) => new Defuddle(document, { url: 'https://example.com/' }).parse();
    },
};
const extract = TOOLS[process.argv[2]]();

// Text nodes stay apart, as the scorer reads them: words of neighbouring cells are not joined.
function textOf(html) {
    const { document } = parseHTML(`<html><body>${html}</body></html>`);
    const walker = document.createTreeWalker(document.body, 4);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts.join('\n');
}

for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue;
    const [from, to] = line.split('\t');
    let text = '';
    globalThis.readPage = () => {
        const found = extract(parseHTML(fs.readFileSync(from, 'utf8')).document);
        if (found) text = `${found.title || ''}\n${textOf(found.content)}`;
    };
    try {
        vm.runInThisContext('readPage()', { timeout: LIMIT * 1000 });
    } catch (e) {
        // the page stays empty
    }
    fs.writeFileSync(to, text);
}
