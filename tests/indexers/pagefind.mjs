/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node pagefind.mjs PAGES OUT WORD..
 *
 * Pagefind's index of the pages below the directory PAGES, written into OUT, and its search for each
 * word: a line "WORD URL.." with the pages that have it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pages, out, ...words] = process.argv.slice(2);
const module = path.resolve(process.env.NODE_DIR, 'node_modules/pagefind/lib/index.js');
const pagefind = await import(pathToFileURL(module).href);

const { index } = await pagefind.createIndex({});
const added = await index.addDirectory({ path: pages });
const written = await index.writeFiles({ outputPath: out });
await pagefind.close();
const errors = [...added.errors, ...written.errors];
if (errors.length > 0) {
    throw new Error(errors.join('\n'));
}

/* The search is meant for browsers: it fetches the index. */
globalThis.fetch = async (url) => new Response(fs.readFileSync(path.join(out, new URL(url, 'http://site/').pathname)));
fs.writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
const search = await import(pathToFileURL(path.resolve(out, 'pagefind.js')).href);
await search.options({ basePath: '/', baseUrl: '/', noWorker: true });
for (const word of words) {
    /* with quotes: otherwise "auction" finds "a" where there is no auction */
    const { results } = await search.search(`"${word}"`);
    const found = await Promise.all(results.map((result) => result.data()));
    console.log([word, ...found.map((page) => page.url)].join(' '));
}
