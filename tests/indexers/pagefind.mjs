/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node pagefind.mjs INDEX WORD..
 *
 * The search of a Pagefind index: a line "WORD URL.." for each word with the pages that have it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [index, ...words] = process.argv.slice(2);

/* The search is meant for browsers: it fetches the index. */
globalThis.fetch = async (url) => new Response(fs.readFileSync(path.join(index, new URL(url, 'http://site/').pathname)));
fs.writeFileSync(path.join(index, 'package.json'), '{ "type": "module" }');
const search = await import(pathToFileURL(path.resolve(index, 'pagefind.js')).href);
await search.options({ basePath: '/', baseUrl: '/', noWorker: true });
for (const word of words) {
    /* with quotes: otherwise "auction" finds "a" where there is no auction */
    const { results } = await search.search(`"${word}"`);
    const found = await Promise.all(results.map((result) => result.data()));
    console.log([word, ...found.map((page) => page.url)].join(' '));
}
