// SPDX-License-Identifier: Apache-2.0
// bench/speed/batch: Mozilla's Readability over linkedom. node batch_readability.js DIR < lines of
// IN, tab, OUT; DIR/node_modules has both. Prints on stderr how many pages failed, or took longer
// than LIMIT seconds.
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const load = require('module').createRequire(path.join(path.resolve(process.argv[2] || '.'), 'x.js'));
const { parseHTML } = load('linkedom');
const { Readability } = load('@mozilla/readability');

const LIMIT = 20;
let late = 0;
let failed = 0;

for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue;
    const [from, to] = line.split('\t');
    let text = '';
    globalThis.readPage = () => {
        const article = new Readability(parseHTML(fs.readFileSync(from, 'utf8')).document).parse();
        text = article ? `${article.title || ''}\n${article.textContent}` : '';
    };
    try {
        vm.runInThisContext('readPage()', { timeout: LIMIT * 1000 });
    } catch (e) {
        e.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? late++ : failed++;
    }
    fs.writeFileSync(to, text);
}
if (late + failed > 0) console.error(`(${late} pages took more than ${LIMIT} s, ${failed} failed)`);
