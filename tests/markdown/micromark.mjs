// SPDX-License-Identifier: Apache-2.0
//
// micromark.mjs <MARKDOWN >HTML
//
// micromark with the tables, strikethrough and footnotes of GFM. NODE_MARKDOWN has the packages.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { resolve: find } = createRequire(resolve(process.env.NODE_MARKDOWN, 'node_modules') + '/')
const { micromark } = await import(find('micromark'))
const { gfmTable, gfmTableHtml } = await import(find('micromark-extension-gfm-table'))
const { gfmStrikethrough, gfmStrikethroughHtml } = await import(find('micromark-extension-gfm-strikethrough'))
const { gfmFootnote, gfmFootnoteHtml } = await import(find('micromark-extension-gfm-footnote'))

process.stdout.write(micromark(readFileSync(0, 'utf8'), {
  allowDangerousHtml: true,
  extensions: [gfmTable(), gfmStrikethrough(), gfmFootnote()],
  htmlExtensions: [gfmTableHtml(), gfmStrikethroughHtml(), gfmFootnoteHtml()]
}))
