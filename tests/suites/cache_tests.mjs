// SPDX-License-Identifier: Apache-2.0
//
// cache_tests.mjs serve SUITE PAGE PORT         the origin server of cache-tests
// cache_tests.mjs run SUITE PAGE BASE [ID..]    its client, through the server at BASE: all tests, or those named
//
// Both are the suite's own programs, except that bodies are HTML pages: the server puts each into the file
// PAGE in place of @BODY@, and the client takes it out again. Bodies that are compared by ranges stay as they
// are, of type text/html. Changed pages have a tag of their own and no date (docs/design.md): the client
// compares a tag without the module's suffix, and sends it with the suffix; it does not compare
// Last-Modified. "run" prints a JSON object: tests, from each id to '' or why it failed, and changed, the
// number of pages that came with other bytes.
import { readFileSync } from 'node:fs'
import { ServerResponse } from 'node:http'

const [role, suite, file, where, ...ids] = process.argv.slice(2)
const { get } = Headers.prototype
const page = readFileSync(file, 'utf8')
const engine = `${suite}/test-engine`

function pageOf (body) {
  return page.replaceAll('@BODY@', body)
}

// of a tag that is made of what is sent: the tag of the server, which sends it in another field, too
function withoutSuffix (tag, headers) {
  if (/^(W\/)?"\w{32}-tmpl-\w+"$/.test(tag)) return get.call(headers, 'origin-tag') ?? tag
  return tag.replace(/^W\/"(.*)-tmpl(-w)?-\w+"$/, (_, opaque, weak) => `${weak ? 'W/' : ''}"${opaque}"`)
}

if (role === 'serve') {
  const { end } = ServerResponse.prototype
  ServerResponse.prototype.end = function (content, ...rest) {
    const isTest = this.hasHeader('server-now')
    if (isTest && this.getHeader('content-type') === 'text/plain') this.setHeader('content-type', 'text/html')
    if (isTest && this.hasHeader('etag')) this.setHeader('origin-tag', this.getHeader('etag'))
    const isPage = isTest && typeof content === 'string' && !content.startsWith('01234')
    return end.call(this, isPage ? pageOf(content) : content, ...rest)
  }
  Object.assign(process.env, {
    npm_config_protocol: 'http', npm_config_port: where, npm_config_pidfile: '/dev/null'
  })
  await import(`${engine}/server/server.mjs`)
} else {
  let changed = 0
  const { text } = Response.prototype
  Response.prototype.text = async function () {
    const got = await text.call(this)
    const body = got.match(/<p id="body"[^>]*>([^]*?)<\/p>/)?.[1] ?? got
    changed += body !== got && got !== pageOf(body)
    return body
  }
  Headers.prototype.get = function (name) {
    const value = get.call(this, name)
    return value !== null && name.toLowerCase() === 'etag' ? withoutSuffix(value, this) : value
  }
  const tags = new Map()
  const { fetch } = globalThis
  globalThis.fetch = async function (url, init = {}) {
    const headers = init.headers?.map(([name, value]) => name.toLowerCase() === 'if-none-match'
      ? [name, value.replace(/(W\/)?"[^"]*"/g, tag => tags.get(url + tag) ?? tag)]
      : [name, value])
    const response = await fetch(url, { ...init, headers })
    const tag = get.call(response.headers, 'etag')
    if (tag !== null) tags.set(url + withoutSuffix(tag, response.headers), tag)
    return response
  }
  const { skipResponseHeaders } = await import(`${engine}/lib/defines.mjs`)
  skipResponseHeaders.add('last-modified')
  const { default: groups } = await import(`${suite}/tests/index.mjs`)
  const { runTests, getResults } = await import(`${engine}/client/runner.mjs`)
  const named = test => ids.length === 0 || ids.includes(test.id)
  await runTests(groups.map(group => ({ ...group, tests: group.tests.filter(named) })), false, where)
  const why = result => result === true ? '' : result.join(': ')
  const tests = Object.fromEntries(Object.entries(getResults()).map(([id, result]) => [id, why(result)]))
  console.log(JSON.stringify({ tests, changed }))
}
