// SPDX-License-Identifier: Apache-2.0
//
// warcio.mjs make FILE   writes records as warcio makes them: pages of http://made.example/
// warcio.mjs read FILE   prints a line of JSON for each record that warcio finds in FILE, with whether its
//                        content has the digest that it names
//
// NODE_DIR has the package warcio.
import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const { WARCParser, WARCRecord, WARCSerializer } = createRequire(resolve(process.env.NODE_DIR, 'node_modules') + '/')('warcio')
const [what, file] = process.argv.slice(2)

const html = n => Buffer.from(`<!DOCTYPE html><html><head><title>T${n}</title></head><body><div class=nav><ul>` +
  `<li><a href=/a>Home of all things</a></li><li><a href=/b>About these pages</a></li></ul></div>` +
  `<div class=main><h1>Story ${n}</h1><p>The teller says ${n} words of ${n} things.</p></div></body></html>`)

// As crawlers send and keep them: the last one is Browsertrix's, which keeps the fields beside the decoded body.
const forms = [
  { fields: {}, body: n => html(n) },
  { fields: { 'Content-Encoding': 'gzip' }, body: n => gzipSync(html(n)) },
  { fields: { 'Content-Encoding': 'br' }, body: n => brotliCompressSync(html(n)) },
  { fields: { 'Content-Encoding': 'br', 'Transfer-Encoding': 'chunked' }, body: n => html(n) }
]

async function make () {
  const parts = []
  const add = async record => parts.push(await WARCSerializer.serialize(record, { gzip: true }))
  await add(WARCRecord.createWARCInfo({ filename: file, warcVersion: 'WARC/1.1' }, { software: 'test' }))
  for (let n = 0; n < 12; n++) {
    const { fields, body } = forms[n % forms.length]
    await add(WARCRecord.create({
      url: `http://made.example/${n}`, date: '2026-03-01T00:00:00Z', type: 'response', warcVersion: 'WARC/1.1',
      httpHeaders: { 'Content-Type': 'text/html; charset=utf-8', ...fields }, statusline: 'HTTP/1.1 200 OK'
    }, (async function * () { yield body(n) })()))
  }
  writeFileSync(file, Buffer.concat(parts))
}

function base32 (bytes) {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return bits.match(/.{5}/g).map(five => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five, 2)]).join('')
}

async function read () {
  const parser = new WARCParser(createReadStream(file), { keepHeadersCase: true, parseHttp: false })
  for await (const record of parser) {
    const content = await record.readFully(false)
    const field = name => record.warcHeader(name)
    console.log(JSON.stringify({
      type: record.warcType,
      url: record.warcTargetURI,
      id: field('WARC-Record-ID'),
      refers: field('WARC-Refers-To'),
      length: content.length,
      digest: field('WARC-Block-Digest') === `sha1:${base32(createHash('sha1').update(content).digest())}`,
      offset: parser.offset,
      text: Buffer.from(content).toString()
    }))
  }
}

await (what === 'make' ? make() : read())
