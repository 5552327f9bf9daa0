# SPDX-License-Identifier: Apache-2.0
"""Made forums: threads, lists of threads, and questions with answers."""
import random

import texts


def author_box(site, name):
    """Who wrote a post: the name is content; rank, counts and place are not."""
    e, w, r = site.e, site.words, random.Random(site.name + name)
    rows = [
        e('div', 'rank', r.choice((w['members'], w['members'], 'VIP'))),
        e('div', 'joined', '%s: %d' % (w['joined'], r.randint(2004, 2024))),
        e('div', 'count', '%s: %d' % (w['posts'], r.randint(1, 9000))),
        e('div', 'place', '%s: %s' % (w['location'], r.choice(texts.PLACES)))
    ]
    rows = [row for i, row in enumerate(rows) if site.has('row%d' % i, .6)]
    return e('div', 'author-box',
             site.picture('avatar', name) if site.has('avatar') else None,
             e(site.pick('name', 'div', 'strong', 'h4', 'span'), 'author', site.link(name), gold='C'), rows)


def body(site, earlier):
    e, r = site.e, site.page
    quote = None
    if earlier and r.random() < .3:
        name, text = r.choice(earlier)
        quote = e('blockquote',
                  'quote',
                  e('cite', 'quote-author', '%s %s:' % (name, site.words['wrote'])),
                  text,
                  gold='I')
    own = [site.post() for _ in range(r.choice((1, 1, 1, 2, 3)))]
    if site.has('br', .4):
        content = [[t, e('br', ''), e('br', '')] for t in own]
        return e('div', 'text', quote, e('div', 'post-text', content, gold='C')), own[0]
    return e('div', 'text', quote, [e('p', '', t, gold='C') for t in own]), own[0]


def post(site, number, earlier, signatures):
    e, w, r = site.e, site.words, site.page
    name = r.choice(sorted(signatures))
    text, first = body(site, earlier)
    earlier.append((name, first))
    meta = e('div', 'meta', site.date('C'), ' ',
             site.link('#%d' % number, 'permalink') if site.has('numbers', .6) else None)
    sign = e('div', 'signature', signatures[name]) if signatures[name] and site.has('signatures', .6) else None
    tools = e('div', 'tools', site.link(w['reply']), ' ', site.link(w['report']), ' ',
              e('span', 'likes', '%d %s' % (r.randint(0, 20), w['views'])) if site.has('likes') else None)
    edited = e('div', 'edited', 'Last edited by %s' % name) if r.random() < .1 else None
    if site.legacy:
        return e('table',
                 'post',
                 e('tr', '', e('td', 'cell', author_box(site, name)), e('td', 'cell', meta, text, edited, sign, tools)),
                 width='100%')
    parts = [author_box(site, name), e('div', 'post-body', meta, text, edited, sign, tools)]
    return site.section('article', 'post', parts, id='post%d' % number)


def thread(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    item = site.items[number]
    title = item['entry'][0]
    earlier = []
    posts = [post(site, i + 1, earlier, site.words['people']) for i in range(r.randint(2, 14))]
    info = e('div', 'thread-info', '%s %s, ' % (w['by'], item['nick']), site.date(text=item['date']), gold='I')
    bar = e('div', 'toolbar', site.link(w['reply']), ' ', site.pager() if r.random() < .5 else None)
    similar = site.section('section', 'similar', e('h3', 'similar-title', w['similar']),
                           site.links([site.entry()[0] for _ in range(5)], 'similar-list'))
    form = e('form', 'quick', e('h3', '', w['reply']), e('textarea', ''), e('button', 'button', w['reply']))
    main = [
        e('h1' if site.has('h1', .8) else 'h2', 'title', title, gold='C'), info if site.has('info') else None, bar,
        site.section('div', 'posts', posts), form if site.has('form', .6) else None,
        similar if site.has('similar', .6) else None,
        site.sharing() if site.has('share', .3) else None
    ]
    return site.finish(title, main, 'article', {'@type': 'DiscussionForumPosting', 'headline': title})


def row(site, item):
    e, w, r = site.e, site.words, site.page
    name = e('div', 'topic', site.link(item['entry'][0], 'topic-link'), gold='C')
    starter = e('span', 'starter', '%s %s' % (w['by'], item['nick']), gold='C') if site.has('starter') else None
    counts = [e('td' if site.has('rows') else 'div', 'count', '%d' % r.randint(0, 900), gold='I') for _ in range(2)]
    last = [site.date('I'), ' ', site.link(texts.nick(r), 'last')]
    if site.has('rows') or site.legacy:
        return e('tr', 'topic-row', e('td', 'cell', name, starter),
                 counts if site.has('rows') else [e('td', '', c) for c in counts], e('td', 'cell', last, gold='I'))
    return e('li', 'topic-row', name, starter, counts, e('div', 'last-post', last, gold='I'))


def board(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    title = r.choice(texts.TOPICS[site.lang]) + r.choice(('', ' & ' + r.choice(texts.TOPICS[site.lang])))
    rows = [row(site, i) for i in site.some_items(r.randint(12, 25))]
    table = site.has('rows') or site.legacy
    lines = e('table', 'topics',
              e('thead', '', e('tr', '', [e('th', '', t) for t in (w['tags'], w['posts'], w['views'], w['next'])])),
              e('tbody', '', rows)) if table else e('ul', 'topics', rows)
    main = [
        e('h1', 'title', title, gold='C'),
        e('p', 'intro', site.post(), gold='C') if site.has('intro') else None,
        e('div', 'toolbar', site.link(w['reply']), e('span', '', w['sort'])), lines,
        site.pager(),
        e('div', 'legend', 'Online: %d ' % r.randint(3, 90), [site.link(texts.nick(r))
                                                              for _ in range(5)]) if site.has('online') else None
    ]
    return site.finish(title, main)


def answer(site, number):
    e, w, r = site.e, site.words, site.page
    comments = [
        e('li', 'answer-comment', site.post(), ' – ', site.link(texts.nick(r)), gold='I')
        for _ in range(r.choice((0, 0, 1, 2)))
    ]
    return site.section(
        'div', 'post', e('div', 'votes', '▲ %d ▼' % r.randint(-2, 90)),
        e(
            'div', 'post-body',
            e('div', 'text',
              [e('p', '', r.choice((site.post, site.paragraph))(), gold='C') for _ in range(r.randint(1, 3))]),
            e('div', 'meta', e('span', '', w['by'] + ' ', gold='I'), e('span', 'author', texts.nick(r), gold='C'),
              e('span', 'score', str(r.randint(1, 90000))), site.date('C')),
            e('ul', 'answer-comments', comments) if comments else None,
            e('div', 'tools', site.link(w['share']), ' ', site.link(w['report']))))


def question(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    title = site.items[number]['entry'][0]
    count = r.randint(1, 5)
    tags = e('div', 'tags', [[site.link(t, 'tag'), ' '] for t in r.sample(site.topics, 3)])
    main = [
        e('h1', 'title', title, gold='C'),
        e('div', 'thread-info', '%d %s' % (r.randint(9, 9000), w['views']), gold='T'),
        answer(site, 0), tags,
        e('h2', 'answers-title', '%d %s' % (count, w['comments']), gold='I'), [answer(site, i) for i in range(count)],
        e('form', 'quick', e('h2', '', w['reply']), e('textarea', ''), e('button', 'button', w['reply'])),
        site.section('aside', 'similar', e('h4', '', w['similar']),
                     site.links([site.entry()[0] for _ in range(8)], 'similar-list'))
    ]
    return site.finish(title, main, 'article', {'@type': 'QAPage', 'name': title})


def pages(site):
    r = site.rng
    site.words['people'] = {
        texts.nick(r): r.choice(site.source.posts[site.lang]) if r.random() < .6 else ''
        for _ in range(25)
    }
    kind = question if site.has('questions', .25) else thread
    for number in range(40):
        yield ('board-%d' % number, *board(site, number)) if number % 5 == 4 else ('thread-%d' % number,
                                                                                   *kind(site, number))
