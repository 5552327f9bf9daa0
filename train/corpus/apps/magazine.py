# SPDX-License-Identifier: Apache-2.0
"""Made magazines and blogs: articles with readers' comments, and lists of articles."""
import texts


def byline(site, item):
    e, w, r = site.e, site.words, site.page
    parts = [
        e('span', 'by', w['by'] + ' ', e('a', 'author', item['author'], href='/author', rel='author'), gold='C'), ' ',
        site.date('C', text=item['date'])
    ]
    if site.has('datefirst', .3):
        parts.reverse()
    return e('div', 'byline', parts,
             e('span', 'minutes', ' %d min' % r.randint(2, 15)) if site.has('minutes', .4) else None)


def figure(site):
    e = site.e
    text = site.post()[:90].rsplit(' ', 1)[0]
    if site.html5:
        return e('figure', 'figure', site.picture('photo', text[:20]), e('figcaption', 'caption', text, gold='C'))
    return e('div', 'figure', site.picture('photo', text[:20]), e('p', 'caption', text, gold='C'))


def insert(site):
    """What sites put between paragraphs: adverts, links to other articles, the newsletter."""
    e, w = site.e, site.words
    return site.page.choice(
        (lambda: e('div', 'advert', w['ad']) if site.has('adverts', .6) else None,
         lambda: e('p', 'inline-link', e('strong', '', w['more'] + ': '), site.link(site.entry()[0]))
         if site.has('inline', .6) else None, lambda: site.newsletter() if site.has('inlinenews', .3) else None))()


def text(site, entry):
    e, r = site.e, site.page
    parts = [e('p', '', p, gold='C') for p in entry[1]]
    for i in range(r.randint(2, 9)):
        kind = r.random()
        if kind < .18:
            parts.append(e('h2' if site.has('h2', .7) else 'h3', 'subhead', site.entry()[0], gold='C'))
        elif kind < .26:
            parts.append(e('ul', '', [e('li', '', site.post()) for _ in range(r.randint(2, 5))], gold='C'))
        elif kind < .32:
            parts.append(e('blockquote', 'pull', e('p', '', site.post()), gold='C'))
        elif kind < .38:
            parts.append(figure(site))
        elif kind < .42:
            parts.append(
                e('table',
                  'data', [
                      e('tr', '',
                        [e('td', '', x)
                         for x in (r.choice(texts.PLACES), str(r.randint(1, 999)), site.price())])
                      for _ in range(r.randint(3, 7))
                  ],
                  gold='C'))
        if kind > .75:
            parts.append(insert(site))
        parts.append(e('p', '', site.paragraph(), gold='C'))
    return e('div', 'text', parts)


def comments(site):
    e, w, r = site.e, site.words, site.page
    if not site.has('comments', .7):
        return None
    items = [
        e('li',
          'comment',
          e('div', 'comment-head', e('cite', 'author', texts.nick(r)), ' ', site.date()),
          e('div', 'comment-text', e('p', '', site.post())),
          gold='I') for _ in range(r.choice((0, 1, 2, 4, 8)))
    ]
    for item in items:
        item.append(e('div', 'tools', site.link(w['reply']), gold='T'))
    return site.section(
        'section', 'comments', e('h3', 'comments-title', w['comments'], gold='I' if items else None),
        e('ol', 'comment-list', items) if items else None,
        e('form', 'comment-form',
          [[e('label', '', t), e('input', '', type='text')] for t in ('Name', 'Email', 'Website')], e('textarea', ''),
          e('button', 'button', w['reply'])))


def teaser(site, gold, item):
    e, w, r = site.e, site.words, site.page
    role = 'card' if gold == 'C' else 'mini'
    return e(
        'article' if site.html5 else 'div', role,
        site.picture('thumb', 'x%d' % r.randint(1, 10**6)) if site.has('thumbs', .7) else None,
        e('span', 'kicker', item['topic'], gold='I' if gold == 'C' else None) if site.has('kicker') else None,
        e(site.pick('th', 'h2', 'h3', 'div'),
          role + '-title',
          site.link(item['entry'][0]),
          gold=gold if gold == 'C' else None),
        e('p', 'teaser', item['teaser'], gold=gold) if gold == 'C' and site.has('teasers', .75) else None,
        e('div', 'byline', w['by'] + ' ' + item['author'] +
          ' ', site.date(text=item['date']), gold='I') if gold == 'C' and site.has('cardmeta', .6) else None,
        site.link(w['more'], 'more') if site.has('moreLinks', .4) else None)


def article(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    item = site.items[number]
    entry = item['entry']
    title = entry[0][:1].upper() + entry[0][1:]
    tags = e('div', 'tags', w['tags'] + ': ', [[site.link(t, 'tag'), ' '] for t in r.sample(site.topics, 3)])
    bio = site.section('div', 'bio', site.picture('avatar', title),
                       e('p', '', '%s: %s' %
                         (item['author'], r.choice(site.words['bios'])))) if site.has('bio', .4) else None
    related = site.section(
        'section', 'related', e(site.pick('rh', 'h3', 'h2', 'div'), 'related-title', w['popular']),
        e('div', 'related-grid', [teaser(site, 'T', i) for i in site.some_items(site.pick('few', 3, 4, 6))]))
    head = e('header' if site.html5 else 'div', 'article-head',
             e('span', 'kicker', site.link(item['topic']), gold='I') if site.has('kicker') else None,
             e('h1', 'title', title, gold='C'),
             e('p', 'standfirst', item['teaser'], gold='C') if site.has('standfirst') else None, byline(site, item))
    share = site.sharing() if site.has('share', .7) else None
    steps = e('div', 'steps', site.link('« ' +
                                        site.entry()[0]), ' ', site.link(site.entry()[0] +
                                                                         ' »')) if site.has('steps', .4) else None
    main = [
        site.section('article', 'article', head, share if site.has('sharetop') else None,
                     figure(site) if site.has('lead', .6) else None, text(site, entry),
                     None if site.has('sharetop') else share, tags, bio), steps,
        related if site.has('related', .75) else None,
        comments(site)
    ]
    return site.finish(title, main, 'article', {'@type': 'NewsArticle', 'headline': title})


def section(site, number):
    site.start(number)
    e, r = site.e, site.page
    title = r.choice(texts.TOPICS[site.lang])
    cards = [teaser(site, 'C', i) for i in site.some_items(r.randint(8, 20))]
    main = [
        e('h1', 'title', title, gold='C'),
        e('p', 'intro', site.post(), gold='C') if site.has('intro', .4) else None,
        site.section('div', 'grid', cards),
        site.pager()
    ]
    return site.finish(title, main)


def pages(site):
    site.words['bios'] = site.rng.sample(site.source.posts[site.lang], 3)
    for number in range(40):
        yield ('section-%d' % number, *section(site, number)) if number % 6 == 5 else ('article-%d' % number,
                                                                                       *article(site, number))
