// SPDX-License-Identifier: Apache-2.0
// bench/batch: Mozilla's Readability over linkedom. node batch_readability.js DIR < lines of IN, tab, OUT;
// DIR/node_modules has both.
const fs = require('fs');
const path = require('path');
const load = require('module').createRequire(path.join(path.resolve(process.argv[2] || '.'), 'x.js'));
const { parseHTML } = load('linkedom');
const { Readability } = load('@mozilla/readability');

for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue;
    const [from, to] = line.split('\t');
    let text = '';
    try {
        const article = new Readability(parseHTML(fs.readFileSync(from, 'utf8')).document).parse();
        text = article ? `${article.title || ''}\n${article.textContent}` : '';
    } catch (e) {
        // a page that it cannot take
    }
    fs.writeFileSync(to, text);
}
