# SPDX-License-Identifier: Apache-2.0
"""Made sites of firms: a page has a hero, features, steps, prices, what customers say, questions."""
import texts


def heading(site, text, gold='C'):
    return site.e(site.pick('sh', 'h2', 'h2', 'h3', 'div'), 'section-title', text, gold=gold)


def line(site, most=60):
    """The start of a text, as a headline."""
    return site.post()[:most].rsplit(' ', 1)[0].rstrip('.,:;-')


def hero(site, title):
    e, w = site.e, site.words
    return site.section('section', 'hero', e('h1', 'title', title, gold='C'), e('p', 'lead', site.post(), gold='C'),
                        e('div', 'actions', site.link(w['contact'], 'button'), ' ', site.link(w['more'], 'button2')),
                        site.picture('hero-image', title) if site.has('heroimage') else None)


def features(site):
    e, w, r = site.e, site.words, site.page
    items = [
        e('div', 'feature', e(site.pick('ft', 'h3', 'h4', 'strong'), 'feature-title', line(site, 40), gold='C'),
          e('p', 'feature-text', site.post(), gold='C'),
          site.link(w['more'], 'feature-link') if site.has('flinks') else None) for _ in range(r.choice((3, 3, 4, 6)))
    ]
    return site.section('section', 'features', heading(site, line(site)), e('div', 'grid', items))


def split(site):
    e, r = site.e, site.page
    return site.section(
        'section', 'split', site.picture('split-image', 'x'),
        e('div', 'split-text', heading(site, line(site)),
          [e('p', '', site.paragraph(), gold='C') for _ in range(r.randint(1, 3))],
          site.link(site.words['more'], 'button')))


def steps(site):
    e, r = site.e, site.page
    return site.section(
        'section', 'steps', heading(site, line(site)),
        e('ol', 'step-list', [
            e('li', 'step', e('strong', '', line(site, 30), gold='C'), ' ', e('span', '', site.post(), gold='C'))
            for _ in range(r.randint(3, 5))
        ]))


def numbers(site):
    e, r = site.e, site.page
    return site.section('section', 'numbers', [
        e('div',
          'number',
          e('span', 'value',
            r.choice(('%d%%', '%d+', '%d')) % r.randint(3, 900)),
          ' ',
          e('span', 'label', line(site, 25)),
          gold='C') for _ in range(r.randint(3, 4))
    ])


def voices(site):
    e, r = site.e, site.page
    return site.section('section', 'voices', heading(site, site.words['reviews']), [
        e('blockquote',
          'review',
          e('p', '', site.post()),
          e('cite', 'author', '%s, %s' % (texts.person(r), texts.brand(r))),
          gold='C') for _ in range(r.randint(2, 4))
    ])


def plans(site):
    e, w, r = site.e, site.words, site.page
    cards = [
        e('div', 'plan', e('h3', 'plan-title', texts.brand(r), gold='C'), e('div', 'price', site.price(), gold='C'),
          e('ul', 'plan-list', [e('li', '', line(site, 45), gold='C') for _ in range(r.randint(3, 6))]),
          site.link(w['contact'], 'button')) for _ in range(3)
    ]
    return site.section('section', 'plans', heading(site, line(site)), e('div', 'grid', cards))


def table(site):
    e, r = site.e, site.page
    rows = [
        e('tr', '', e('td', '', line(site, 35)),
          [e('td', '', r.choice(('✓', '–', site.price(), str(r.randint(1, 99)))))
           for _ in range(3)])
        for _ in range(r.randint(4, 9))
    ]
    return site.section(
        'section', 'compare', heading(site, line(site)),
        e('table', 'specs', e('tr', '', [e('th', '', texts.brand(r)) for _ in range(4)]), rows, gold='C'))


def faq(site):
    e, r = site.e, site.page
    items = [(line(site) + '?', site.post()) for _ in range(r.randint(3, 7))]
    if site.has('details'):
        content = [e('details', 'question', e('summary', '', q), e('p', '', a), gold='C') for q, a in items]
    else:
        content = [[e(site.pick('q', 'h3', 'h4', 'button'), 'question', q, gold='C'),
                    e('div', 'answer', a, gold='C')] for q, a in items]
    return site.section('section', 'faq', heading(site, site.words['faq']), content)


def band(site, number):
    """A call to act that all pages have in the same words."""
    e, w = site.e, site.words
    return site.section('section', 'band%d' % number, heading(site, w['bands'][number][:50], gold=None),
                        e('p', '', w['bands'][number + 2]), site.link(w['contact'], 'button'))


def logos(site):
    e, w = site.e, site.words
    return site.section('section', 'logos', e('p', '', w['bands'][4][:40]),
                        [site.picture('logo-image', b) for b in w['partners']],
                        site.links(w['partners'], 'logo-list') if site.has('logonames') else None)


def news(site):
    e = site.e
    return site.section(
        'section', 'related', heading(site, site.words['popular'], gold=None),
        e('div', 'related-grid',
          [e('div', 'mini', site.link(i['entry'][0]), ' ', site.date(text=i['date'])) for i in site.some_items(3)]))


def contact(site):
    e, w = site.e, site.words
    return site.section(
        'section', 'contact', heading(site, w['contact'], gold=None), e('p', '', w['bands'][5]),
        e('form', '', [[e('label', '', t), e('input', '', type='text')] for t in ('Name', 'Email', 'Phone')],
          e('button', 'button', w['contact'])))


CONTENT = (features, split, steps, numbers, voices, plans, table, faq)


def page(site, number):
    site.start(number)
    r = site.page
    title = r.choice((line(site), '%s %s' % (r.choice(site.topics), r.choice(texts.TOPICS[site.lang]))))
    shown = [f for f in CONTENT if site.has(f.__name__, .6)] or [features, split]
    parts = [f(site) for f in r.sample(shown, min(len(shown), r.randint(2, 5)))] + [split(site)]
    if site.has('logos'):
        parts.insert(r.choice((0, 1)), logos(site))
    if site.has('bandmid', .4):
        parts.insert(len(parts) // 2, band(site, 1))
    parts += [
        news(site) if site.has('news', .4) else None,
        contact(site) if site.has('contact') else None,
        band(site, 0) if site.has('band', .7) else None
    ]
    return site.finish(title, [hero(site, title), parts])


def pages(site):
    r = site.rng
    site.words['bands'] = r.sample(site.source.posts[site.lang], 6)
    site.words['partners'] = [texts.brand(r) for _ in range(6)]
    for number in range(40):
        yield ('page-%d' % number, *page(site, number))
