/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whether the nodes of a page are the elements of parse5's tree that are not quiet and have a
 * tag in the source: the same start and end tags, the same parents, and the same for texts.
 * Elements without a tag count as transparent. What HTML5 moves out of a table stays in our trees;
 * these nodes are counted, every other difference is a fault.
 */
import { childrenOf, nameOf, skipped } from './tree.mjs';

const NAME = 0, OPEN = 1, OPEN_END = 2, CLOSE = 3, CLOSE_END = 4, PARENT = 5, QUIET = 6;
const TABLE = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr', 'colgroup']);

/* An element with its own tag, which HTML5 does not imply or open again. */
function hasTag(element) {
    return !element.isCopy && Boolean(element.sourceCodeLocation);
}

/*
 * The element with a tag that contains node: in the tree, or before node was moved out of a table.
 */
function holder(node, bySource) {
    let up = node;
    do {
        up = (bySource && up.stood) || up.parentNode;
        if (up && up.nodeName === '#document-fragment') {
            up = up.host;
        }
    } while (up && up.tagName !== 'body' && !hasTag(up));
    return up || null;
}

function bodyOf(document) {
    const html = document.childNodes.find((n) => n.tagName === 'html');
    return html && html.childNodes.find((n) => n.tagName === 'body');
}

class Spans {
    constructor(page, bytes) {
        this.page = page;
        this.shift = skipped(bytes);
        this.bytes = bytes;
        this.nodeAt = new Map(page.nodes.slice(1).map((node, i) => [node[OPEN], i + 1]));
        this.seen = new Set();
        this.texts = [];
        this.differences = [];
        this.moved = 0;
    }

    differ(what, at) {
        this.differences.push(`${what} at ${at}: ${JSON.stringify(this.bytes.slice(at, at + 60))}`);
    }

    start(element) {
        return element.tagName === 'body' ? -1 : element.sourceCodeLocation.startOffset + this.shift;
    }

    /* Whether the node with that index is the element. */
    isNode(index, element) {
        return element && (element.tagName === 'body' ? index === 0 :
            index > 0 && this.page.nodes[index][OPEN] === this.start(element));
    }

    place(node, parent, at) {
        if (this.isNode(parent, holder(node, false))) {
            return;
        }
        const table = parent === 0 ? '' : this.page.nodes[parent][NAME];
        if (this.isNode(parent, holder(node, true)) || (node.stood && TABLE.has(table))) {
            this.moved++;
            return;
        }
        const found = parent === 0 ? 'body' : `${table} at ${this.page.nodes[parent][OPEN]}`;
        const wanted = holder(node, false);
        this.differ(`in ${found}, not in ${wanted ? `${nameOf(wanted)} at ${this.start(wanted)}` : 'body'},`, at);
    }

    ends(element, node) {
        const { startTag, endTag } = element.sourceCodeLocation;
        const at = this.start(element);
        if (startTag.endOffset + this.shift !== node[OPEN_END]) {
            this.differ(`start tag ends at ${node[OPEN_END]}, not at ${startTag.endOffset + this.shift},`, at);
        }
        const from = endTag ? endTag.startOffset + this.shift : -1;
        const to = endTag ? endTag.endOffset + this.shift : -1;
        const ours = node[CLOSE_END] > node[CLOSE] ? [node[CLOSE], node[CLOSE_END]] : [-1, -1];
        if ((ours[0] !== from || ours[1] !== to) && !(element.isSplit && ours[0] === -1)) {
            this.differ(`end tag is ${ours}, not ${[from, to]},`, at);
        }
    }

    /* Whether the page may have nodes in the element. */
    element(element) {
        if (!hasTag(element)) {
            return true;
        }
        const at = this.start(element);
        const index = this.nodeAt.get(at);
        if (index === undefined) {
            this.differ(`no node for ${nameOf(element)}`, at);
            return false;
        }
        if (this.seen.has(index)) {
            return true; /* the adoption agency's copy of it: the first is looked at */
        }
        this.seen.add(index);
        const node = this.page.nodes[index];
        if (node[NAME] !== '' && node[NAME] !== element.tagName && node[NAME] !== 'image') {
            this.differ(`a ${node[NAME]}, not a ${nameOf(element)},`, at);
        }
        this.place(element, node[PARENT], at);
        this.ends(element, node);
        return !node[QUIET];
    }

    walk(root) {
        const todo = [...childrenOf(root)].reverse();
        while (todo.length > 0) {
            const node = todo.pop();
            if (node.nodeName === '#text') {
                this.texts.push(node);
            }
            else if (node.tagName && this.element(node)) {
                if (node.content) {
                    node.content.host = node;
                }
                for (const child of [...childrenOf(node)].reverse()) {
                    todo.push(child);
                }
            }
        }
    }

    /*
     * Texts that HTML5 has joined have no position of their own: they are searched in the texts
     * they may be part of. (If a text begins with a reference after a line break that is dropped,
     * it begins after that in parse5.)
     */
    checkTexts() {
        const LONGEST_REFERENCE = 40;
        const runs = this.texts.filter((t) => t.sourceCodeLocation).map((text) => ({
            text, from: text.sourceCodeLocation.startOffset + this.shift,
            to: text.sourceCodeLocation.endOffset + this.shift,
        })).sort((a, b) => a.from - b.from);
        let first = 0;
        for (const [at, node] of this.page.texts) {
            while (first < runs.length && runs[first].to <= at) {
                first++;
            }
            const around = [];
            for (let i = first; i < runs.length && runs[i].from <= at; i++) {
                if (runs[i].to > at) {
                    around.push(runs[i].text);
                }
            }
            if (around.length === 0 && this.bytes[at] === '&' && first < runs.length &&
                runs[first].from < at + LONGEST_REFERENCE) {
                around.push(runs[first].text);
            }
            const table = node === 0 ? '' : this.page.nodes[node][NAME];
            if (this.bytes[at] === '\0') {
                continue; /* HTML5 drops these, and what is left may be nothing */
            }
            if (!around.some((text) => this.isNode(node, holder(text, false)))) {
                if (around.length > 0 && TABLE.has(table)) {
                    this.moved++;
                }
                else {
                    this.differ(`text in node ${node} (${table || 'body'})`, at);
                }
            }
        }
    }

    compare(document) {
        const body = bodyOf(document);
        if (body) {
            this.walk(body);
        }
        this.page.nodes.forEach((node, i) => {
            if (i > 0 && !this.seen.has(i)) {
                this.differ(`a node too many: ${node[NAME]}`, node[OPEN]);
            }
        });
        this.checkTexts();
    }
}

/*
 * {differences: [text..], moved: how many elements and texts HTML5 has moved out of tables,
 * elements}; document is the result of parse(bytes, true, true).
 */
export function judgeSpans(page, bytes, document) {
    const spans = new Spans(page, bytes);
    spans.compare(document);
    return { differences: spans.differences, moved: spans.moved, elements: page.nodes.length - 1 };
}
