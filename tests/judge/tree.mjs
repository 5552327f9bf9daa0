/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of pages by parse5, and trees as text. A page is a string of bytes (latin1): markup is
 * ASCII, so offsets are bytes.
 *
 * Nodes are those of parse5's default adapter; other judges convert their trees to these.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const where = process.env.NODE_DIR;
if (!where) {
    throw new Error('NODE_DIR is not set');
}
const at = (name) => pathToFileURL(path.resolve(where, 'node_modules', name)).href;
const parse5 = await import(at('parse5/dist/index.js'));
const { Parser, InsertionMode: MODE } = parse5;
const { TAG_ID: TAG, NS } = parse5.html;

const BOM = '\u00EF\u00BB\u00BF';
const RESET = new Map([
    [TAG.TR, MODE.IN_ROW], [TAG.TBODY, MODE.IN_TABLE_BODY], [TAG.THEAD, MODE.IN_TABLE_BODY],
    [TAG.TFOOT, MODE.IN_TABLE_BODY], [TAG.CAPTION, MODE.IN_CAPTION], [TAG.COLGROUP, MODE.IN_COLUMN_GROUP],
    [TAG.TABLE, MODE.IN_TABLE], [TAG.TD, MODE.IN_CELL], [TAG.TH, MODE.IN_CELL],
]);

const HEADINGS = [TAG.H1, TAG.H2, TAG.H3, TAG.H4, TAG.H5, TAG.H6];
const TABLE_MODES = new Set([MODE.IN_TABLE, MODE.IN_TABLE_BODY, MODE.IN_ROW]);

const TABLE_PARTS = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr']);

/*
 * parse5 with additions. (With them it has the trees of all tests of html5lib that need no script,
 * and Chromium's.) Since 2025 a select contains elements like any other (13.2.6.4.7), without an
 * insertion mode of its own; a template ends the search for an element in table scope; CDATA may be
 * wherever the current node is svg's or math's, also where HTML may. Elements have these additional
 * members:
 *   isCopy   a formatting element that is opened again: it has no tag of its own
 *   stood    the element that was open at its tag, if HTML5 has moved it out of a table
 *   isSplit  its end tag does not end it there: a formatting element that the adoption agency has split, or a form that
 *            is closed before the elements open in it
 */
class Today extends Parser {
    constructor(...args) {
        super(...args);
        this._readCdata();
        const stack = this.openElements;
        const hasInScope = stack.hasInScope.bind(stack);
        stack.hasInScope = (tag, element) => hasInScope(tag, element) && !this._isBehindSelect(tag, element);
        const hasInButtonScope = stack.hasInButtonScope.bind(stack);
        stack.hasInButtonScope = (tag) => hasInButtonScope(tag) && !this._isBehindSelect(tag);
        const hasInListItemScope = stack.hasInListItemScope.bind(stack);
        stack.hasInListItemScope = (tag) => hasInListItemScope(tag) && !this._isBehindSelect(tag);
        const hasNumberedHeaderInScope = stack.hasNumberedHeaderInScope.bind(stack);
        stack.hasNumberedHeaderInScope = () => hasNumberedHeaderInScope() &&
            stack.indexOfTopmostOf(HEADINGS) > stack.indexOfTopmost(TAG.SELECT);
        const hasInTableScope = stack.hasInTableScope.bind(stack);
        stack.hasInTableScope = (tag) => hasInTableScope(tag) &&
            stack.indexOfTopmost(tag) > stack.indexOfTopmost(TAG.TEMPLATE);
        const remove = stack.remove.bind(stack);
        stack.remove = (element) => {
            element.isSplit = element !== stack.current;
            remove(element);
        };
    }

    /* parse5 takes CDATA for a comment where HTML may be in svg and math. */
    _readCdata() {
        const { tokenizer } = this;
        const read = tokenizer._stateMarkupDeclarationOpen.bind(tokenizer);
        tokenizer._stateMarkupDeclarationOpen = (character) => {
            const was = tokenizer.inForeignNode;
            tokenizer.inForeignNode = this.currentNotInHTML && this.openElements.stackTop >= 0;
            read(character);
            tokenizer.inForeignNode = was;
        };
    }

    get insertionMode() {
        return this.mode;
    }

    set insertionMode(mode) {
        if (mode !== MODE.IN_SELECT && mode !== MODE.IN_SELECT_IN_TABLE) {
            this.mode = mode;
        }
    }

    /* The search for an element in scope ends at a select. */
    _isBehindSelect(tag, element) {
        const select = this.openElements.indexOfTopmost(TAG.SELECT);
        if (select === -1 || tag === TAG.SELECT) {
            return false;
        }
        return (element ? this.openElements._indexOf(element) : this.openElements.indexOfTopmost(tag)) < select;
    }

    _resetInsertionModeForSelect(at) {
        const stack = this.openElements;
        for (let i = stack.slotBelow(at); i > 0; i = stack.slotBelow(i)) {
            if (this.treeAdapter.getNamespaceURI(stack.items[i]) !== NS.HTML) {
                continue;
            }
            if (stack.tagIDs[i] === TAG.TEMPLATE) {
                this.mode = this.tmplInsertionModeStack.at(-1);
                return;
            }
            if (RESET.has(stack.tagIDs[i])) {
                this.mode = RESET.get(stack.tagIDs[i]);
                return;
            }
        }
        this.mode = MODE.IN_BODY;
    }

    _isInSelect() {
        const stack = this.openElements;
        return stack.indexOfTopmost(TAG.SELECT) !== -1 && stack.hasInScope(TAG.SELECT);
    }

    _startTagOutsideForeignContent(token) {
        if (this._isInSelect() && !this._startInSelect(token)) {
            return;
        }
        super._startTagOutsideForeignContent(token);
    }

    /*
     * An input in a table has a rule of its own (13.2.6.4.9), which does not search for a select.
     */
    _isHiddenInTable(token) {
        return TABLE_MODES.has(this.mode) &&
            token.attrs.some((a) => a.name === 'type' && a.value.toLowerCase() === 'hidden');
    }

    /* The first step of a start tag in a select; false if there is no other. */
    _startInSelect(token) {
        const stack = this.openElements;
        switch (token.tagID) {
        case TAG.SELECT:
            stack.popUntilTagNamePopped(TAG.SELECT);
            return false;
        case TAG.INPUT:
            if (!this._isHiddenInTable(token)) {
                stack.popUntilTagNamePopped(TAG.SELECT);
            }
            return true;
        case TAG.OPTION:
            stack.generateImpliedEndTagsWithExclusion(TAG.OPTGROUP);
            return true;
        case TAG.OPTGROUP:
            stack.generateImpliedEndTags();
            return true;
        case TAG.HR:
            if (stack.hasInButtonScope(TAG.P)) {
                this._closePElement();
            }
            stack.generateImpliedEndTags();
            return true;
        default:
            return true;
        }
    }

    _endTagOutsideForeignContent(token) {
        if (token.tagID === TAG.SELECT && this._isInSelect()) {
            this.openElements.generateImpliedEndTags();
            this.openElements.popUntilTagNamePopped(TAG.SELECT);
            return;
        }
        super._endTagOutsideForeignContent(token);
    }

    _reconstructActiveFormattingElements() {
        this.reopens = true;
        super._reconstructActiveFormattingElements();
        this.reopens = false;
    }

    _attachElementToTree(element, location, place) {
        if (this.reopens) {
            element.isCopy = true;
        }
        if (this._shouldFosterParentOnInsertion()) {
            element.stood = this.openElements.current;
        }
        super._attachElementToTree(element, location, place);
    }

    /*
     * parse5 calls this for the last step of the adoption agency, while the element is still on the
     * list.
     */
    _adoptNodes(donor, recipient) {
        const entry = this.activeFormattingElements.getElementEntryInScopeWithTagName(recipient.tagName);
        if (entry) {
            entry.element.isSplit = true;
        }
        super._adoptNodes(donor, recipient);
    }

    /*
     * For the adoption agency: the formatting element is directly in the innermost part of a table.
     */
    _fosterParentElement(element) {
        const { items, stackTop } = this.openElements;
        element.stood = items.slice(0, stackTop + 1).findLast((e) => e && TABLE_PARTS.has(e.tagName));
        super._fosterParentElement(element);
    }
}

/* The bytes before the parsed bytes: a byte order mark. */
export function skipped(bytes) {
    return bytes.startsWith(BOM) ? BOM.length : 0;
}

/* The document; with places, elements and texts have source positions (from skipped(bytes) on). */
export function parse(bytes, scripts, places = false) {
    return Today.parse(bytes.slice(skipped(bytes)), { scriptingEnabled: scripts, sourceCodeLocationInfo: places });
}

export function childrenOf(node) {
    return node.content ? node.content.childNodes : node.childNodes;
}

const SHORT = { [NS.SVG]: 'svg ', [NS.MATHML]: 'math ' };

/* The name in a tree as text, with a prefix for svg and math. */
export function nameOf(node) {
    return (SHORT[node.namespaceURI] || '') + node.tagName;
}

/* Comments that may be in one tree only, or differ between the trees. */
function isPassedOver(text) {
    return text === '' || /^\??[ \n\t\r\f]*\/?(?:x-)?tmpl/.test(text);
}

/*
 * Elements that may have a shadow root (DOM, attachShadow): these, and all with a - in their name.
 */
const HOSTS = /^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span|.*-.*)$/;

function isShadow(node) {
    return node.tagName === 'template' && node.namespaceURI === NS.HTML &&
        node.attrs.some((a) => a.name === 'shadowrootmode' && /^(?:open|closed)$/i.test(a.value));
}

/* The template child that browsers make the shadow root of an element. parse5 leaves it a child. */
function shadowOf(element) {
    return HOSTS.test(element.tagName) && element.namespaceURI === NS.HTML ? element.childNodes.find(isShadow) : undefined;
}

function attributeOf(attr) {
    return ` ${attr.prefix ? attr.prefix + ' ' : ''}${attr.name}="${attr.value}"`;
}

/*
 * A tree as text, without the module's marks and without foreign ones. withoutMarked is {quiet,
 * code}, sets of names, or unset. If it is set, marked elements and runs are left out, except the
 * code of elements marked "code". Adjacent texts are joined.
 */
class Writer {
    constructor(withoutMarked) {
        this.parts = [];
        this.without = withoutMarked;
        this.inText = false;
        this.inRun = false;
    }

    children(nodes, shadow) {
        for (const node of nodes) {
            if (node === shadow) {
                this.parts.push('\nshadow root');
            }
            if (node.nodeName === '#comment') {
                this.comment(node.data);
            }
            else if (!this.inRun) {
                this.node(node);
            }
        }
        if (this.inRun) {
            this.parts.push('[a run that does not end in its parent]');
            this.inRun = false;
        }
    }

    comment(text) {
        if (this.without && (text === 'tmpl' || text === '/tmpl')) {
            this.inRun = text === 'tmpl';
        }
        else if (!this.inRun && !isPassedOver(text)) {
            this.inText = false;
            this.parts.push(`\n<!--${text}-->`);
        }
    }

    node(node) {
        if (node.nodeName === '#text') {
            /* foreign marks are also renamed in noscript, where they are text with scripts on */
            const disowned = node.parentNode && node.parentNode.tagName === 'noscript';
            this.parts.push(this.inText ? '' : '\n"', disowned ? node.value.replace(/x-tmpl/g, 'tmpl') : node.value);
            this.inText = true;
        }
        else if (node.nodeName === '#documentType') {
            this.parts.push(`\n<!${node.name} ${node.publicId} ${node.systemId}>`);
        }
        else {
            this.element(node);
        }
    }

    element(node) {
        const mark = this.without && node.attrs.find((a) => a.name === 'data-tmpl');
        if (mark) {
            if (mark.value === 'code') {
                this.code(node);
            }
            return;
        }
        this.inText = false;
        this.parts.push('\n<', nameOf(node));
        for (const attr of node.attrs) {
            if (attr.name !== 'data-tmpl' && attr.name !== 'data-x-tmpl') {
                this.parts.push(attributeOf(attr));
            }
        }
        this.parts.push('>{');
        this.children(childrenOf(node), shadowOf(node));
        this.inText = false;
        this.parts.push('}');
    }

    /*
     * What remains of an element that is cut except for its code. The page has no nodes in quiet
     * elements. A shadow root is cut with its element, and meta and link with an itemprop are cut
     * with their item.
     */
    code(element, around = false) {
        const has = (node, name) => node.attrs.some((a) => a.name === name);
        const item = around || (has(element, 'itemscope') && !has(element, 'itemprop'));
        const shadow = shadowOf(element);
        for (const node of childrenOf(element)) {
            if (node.tagName && this.without.code.has(node.tagName) && node.namespaceURI === NS.HTML) {
                const isProperty = item && (node.tagName === 'meta' || node.tagName === 'link') && has(node, 'itemprop');
                if (node !== shadow && !isProperty) {
                    this.element(node);
                }
            }
            else if (node.tagName && node.nodeName !== 'shadow' && !this.without.quiet.has(node.tagName)) {
                this.code(node, item);
            }
        }
    }
}

export function write(document, withoutMarked = null) {
    const w = new Writer(withoutMarked);
    w.parts.push(document.mode || '');
    w.children(document.childNodes);
    return w.parts.join('');
}

/*
 * {marks, comments}: how many elements and runs are marked, and how many comments a reader may take
 * for one of the two around a run.
 */
export function countMarks(document) {
    const todo = [...document.childNodes];
    const counts = { marks: 0, comments: 0 };
    while (todo.length > 0) {
        const node = todo.pop();
        const text = node.nodeName === '#comment' ? node.data : '';
        counts.marks += text === 'tmpl' ? 1 : 0;
        counts.comments += /^\??[ \n\t\r\f]*\/?tmpl/.test(text) ? 1 : 0;
        counts.marks += node.attrs && node.attrs.some((a) => a.name === 'data-tmpl') ? 1 : 0;
        for (const child of childrenOf(node) || []) {
            todo.push(child);
        }
    }
    return counts;
}

/* Both texts from just before their first difference, or null. */
export function difference(expected, found) {
    if (expected === found) {
        return null;
    }
    let same = 0;
    while (same < expected.length && expected[same] === found[same]) {
        same++;
    }
    const from = Math.max(0, same - 120);
    return { expected: expected.slice(from, same + 200), found: found.slice(from, same + 200) };
}
