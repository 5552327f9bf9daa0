# SPDX-License-Identifier: Apache-2.0
"""Made directories: results of a search (jobs, flats, firms, events, recipes) and their detail pages."""
import texts

LABELS = {
    'en': {
        'job': 'Employer Location Salary Contract Hours Start', 'flat': 'Area Rooms Floor Rent Deposit Heating Built',
        'firm': 'Address Phone Hours Founded Staff', 'event': 'Venue Doors Tickets Organiser Age City',
        'recipe': 'Serves Prep Cook Difficulty Calories Course',
        'book': 'Author Publisher Year Pages ISBN Language Shelf'
    }, 'de': {
        'job': 'Arbeitgeber Ort Gehalt Vertrag Beginn', 'flat': 'Fläche Zimmer Etage Miete Kaution Heizung Baujahr',
        'firm': 'Anschrift Telefon Geöffnet Gegründet', 'event': 'Ort Einlass Karten Veranstalter',
        'recipe': 'Portionen Zubereitung Kochzeit Schwierigkeit', 'book': 'Autor Verlag Jahr Seiten ISBN Sprache'
    }, 'es': {
        'job': 'Empresa Lugar Sueldo Contrato Inicio', 'flat': 'Superficie Habitaciones Planta Alquiler Fianza',
        'firm': 'Dirección Teléfono Horario Fundada', 'event': 'Lugar Entrada Precio Organiza',
        'recipe': 'Raciones Preparación Cocción Dificultad', 'book': 'Autor Editorial Año Páginas ISBN'
    }
}


def value(site):
    r = site.page
    return r.choice(
        (r.choice(texts.PLACES), texts.brand(r) + ' GmbH', site.price(), str(r.randint(1, 12)),
         '%d m²' % r.randint(20, 300), texts.person(r), '%d:00–%d:00' % (r.randint(7, 11), r.randint(16, 22)),
         str(r.randint(1900, 2025)), '%d min' % r.randint(5, 90)))


def title(site, item):
    if site.has('entries'):
        return item['entry'][0]
    return item['product'].split(' ', 1)[1] + ', ' + item['topic']


def result(site, item, labels):
    e, w, r = site.e, site.words, site.page
    meta = [(k, value(site)) for k in labels[:3]]
    if site.has('pairs'):
        line = site.e('dl', 'meta', [[e('dt', '', k), e('dd', '', v)] for k, v in meta], gold='C')
    else:
        line = e('div',
                 'meta',
                 [[e('span', 'meta-item', v), site.pick('metasep', ' ', ' · ', ' | ')] for _, v in meta],
                 gold='C')
    name = e(site.pick('rname', 'h3', 'h2', 'div', 'strong'), 'title', site.link(title(site, item)), gold='C')
    teaser = e('p', 'teaser', item['teaser'], gold='C') if site.has('teaser', .7) else None
    tools = e('div', 'tools', site.link(w['more']), ' ', site.link(w['share'])) if site.has('tools', .6) else None
    picture = site.picture('photo', 'x%d' % r.randint(1, 10**6)) if site.has('photos') else None
    if site.legacy or site.has('rows', .25):
        return e('tr', 'result', e('td', 'cell', picture), e('td', 'cell', name, teaser), e('td', 'cell', line),
                 e('td', 'cell', tools))
    if site.has('list'):
        return e('li', 'card', picture, name, line, teaser, tools)
    posted = site.date('C') if site.has('dates') else None
    return site.section('article', 'card', picture, name, line, teaser, tools, posted)


def results(site, labels):
    e, r = site.e, site.page
    rows = [result(site, i, labels) for i in site.some_items(r.choice((8, 10, 12, 15, 20)))]
    if site.legacy or site.has('rows', .25):
        return e('table', 'grid', e('tbody', '', rows), width='100%')
    advert = e('li' if site.has('list') else 'div', 'advert', e('span', '', site.words['ad']),
               site.link(site.entry()[0]))
    if site.has('advert', .4):
        rows.insert(3, advert)
    return e('ul' if site.has('list') else 'div', 'grid', rows)


def filters(site, labels):
    e, r = site.e, site.page
    groups = [
        e('fieldset', 'facet', e('legend', 'facet-title', k), [
            e('label', 'option', e('input', '', type='checkbox'), '%s (%d)' % (value(site), r.randint(1, 300)))
            for _ in range(r.randint(3, 6))
        ])
        for k in labels
    ]
    return site.section('aside', 'facets', e('h3', 'facets-title', site.words['filter']), groups)


def search(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    labels = site.words['labels']
    head = '%s: %s' % (r.choice(site.topics), r.choice(texts.PLACES))
    bar = e('div', 'toolbar', e('span', 'found', '%d %s' % (r.randint(10, 4000), w['found'])), e('span', '', w['sort']),
            e('select', '', e('option', '', 'A-Z')))
    letters = e('div', 'letters', [[site.link(c), ' ']
                                   for c in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']) if site.has('letters', .3) else None
    nearby = site.section('section', 'related', e('h3', '', w['related']),
                          site.links(r.sample(texts.PLACES, 12), 'places')) if site.has('nearby') else None
    main = [
        e('h1', 'title', head, gold='C'),
        e('p', 'intro', site.paragraph(), gold='C') if site.has('intro') else None, letters,
        filters(site, labels) if site.has('filters', .7) else None, bar,
        results(site, labels),
        site.pager(), nearby
    ]
    return site.finish(head, main, facts={'@type': 'ItemList', 'name': head})


def detail(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    labels = site.words['labels']
    head = title(site, site.items[number])
    facts = site.facts([(k, value(site)) for k in labels])
    text = e(
        'div', 'text', [e('p', '', site.paragraph(), gold='C') for _ in range(r.randint(2, 5))],
        e('ul', 'bullets', [e('li', '', site.post(), gold='C')
                            for _ in range(r.randint(2, 6))]) if r.random() < .6 else None)
    contact = site.section(
        'section', 'contact', e('h3', '', w['contact']),
        e('form', '', [e('label', '', t) for t in ('Name', 'Email')], e('textarea', ''),
          e('button', 'button', w['contact'])))
    similar = site.section(
        'section', 'related', e('h3', 'related-title', w['related']),
        e('div', 'related-grid',
          [e('div', 'mini', site.link(title(site, i)), ' ', i['price']) for i in site.some_items(4)]))
    parts = [text, facts] if site.has('textfirst') else [facts, text]
    main = [
        e('h1', 'title', head, gold='C'),
        site.date('C') if site.has('dates') else None,
        site.sharing() if site.has('share') else None, parts, contact if site.has('contact', .7) else None,
        similar if site.has('similar', .7) else None
    ]
    return site.finish(head, main, 'article')


def pages(site):
    kind = site.pick('kind', 'job', 'flat', 'firm', 'event', 'recipe', 'book')
    site.words['labels'] = LABELS[site.lang][kind].split()
    for number in range(40):
        yield ('search-%d' % number, *search(site, number)) if number % 5 < 3 else ('detail-%d' % number,
                                                                                    *detail(site, number))
