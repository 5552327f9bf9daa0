# SPDX-License-Identifier: Apache-2.0

# TmplCache: a page that comes again is served from the cached decision, with the same bytes as if it were
# judged again, even if its nonces and tokens differ. A decision is used only while it is valid: not after a
# change of the site's table, with another configuration, secret or site, or for a page with other bytes. The
# use is counted and reported. Without the directive there is a cache, too.

use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Pages;
use JSON::PP;

my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
my $site = site();
my $dir = temp_dir();
my $file = "$dir/extra";    # the text at the end of each article
spit($file, '');
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/page/(\d+)};
    my $page = $site->page($n) =~ s{</article>}{slurp($file) . '</article>'}er;
    $connection->respond(200, { 'Content-Type' => 'text/html', ETag => "\"$n\"" }, $page);
};

sub cached { return join ' ', map { $_->says('cache') || 'none' } @_ }

sub with_cache {
    my ($conf, @more) = @_;
    return proxy($backend, modules => ['socache_shmcb'], conf => "TmplMode strip\n$conf\n", @more);
}

# Decisions last ten minutes.
subtest 'hit, miss, stale' => sub {
    my ($httpd, $judged, $again, %is) = within(60, sub {
        my $httpd = proxy($backend, modules => ['socache_shmcb'], conf => <<'END');
TmplMode strip
TmplCache shmcb
<Location /plain>
    ProxyPass !
    SetHandler tmpl-status
    TmplMode off
</Location>
END
        $httpd->visit(1 .. 40);
        my ($judged) = $httpd->visit(50);
        my ($again) = $httpd->visit(50);
        my %is = (others => cached($httpd->visit(51 .. 55)), grown => cached($httpd->visit(50)));
        $is{more} = cached($httpd->visit(56 .. 70));
        $is{moved} = cached($httpd->visit(50, 50));
        # a text that reaches TmplMinDF
        $is{another} = cached($httpd->visit(60, 60));
        spit($file, '<p>A sentence that no page had so far.</p>');
        $is{text} = cached($httpd->visit(81 .. 85));
        spit($file, '');
        $is{version} = cached($httpd->visit(60));
        return ($httpd, $judged, $again, %is);
    });
    is cached($judged, $again), 'miss hit', 'judged, then found';
    same_bytes($again->body, $judged->body, 'the same page');
    isnt length $again->body, length $site->page(50), 'which was changed';
    for my $part (qw(state detector blocks template ratio fingerprint learned pages)) {
        is $again->says($part), $judged->says($part), "and the same $part";
    }
    is $again->header('ETag'), $judged->header('ETag'), 'and entity tag';
    is $is{others}, 'miss miss miss miss miss', 'other pages are not found';
    is $is{grown}, 'hit', 'a little growth of the site changes nothing';
    is $is{more}, join(' ', ('miss') x 15), 'more pages';
    is $is{moved}, 'stale hit', 'an eighth more does: decided anew';
    is $is{another}, 'stale hit', 'another page';
    is $is{text}, join(' ', ('miss') x 5), 'five pages with a new text';
    is $is{version}, 'hit', 'the table has a new version: within a minute it is found';

    my %count = %{ $httpd->counted('/plain') };
    is $count{'cache-hit'}, 5, 'hits counted';
    is $count{'cache-stale'}, 2, 'stale ones counted';
    is $count{'cache-miss'}, $count{pages} - 7, 'and misses';
    $httpd->graceful;
    $httpd->visit(1 .. 8);
    is cached($httpd->visit(60)), 'miss', 'nothing is kept over a restart';
    $httpd->finish;
};

# A cached decision has the part of each block: every form of the content is the same again.
subtest 'forms' => sub {
    for my $mode (qw(text markdown json reader)) {
        my ($httpd, $judged, $again) = within(60, sub {
            my $httpd = proxy($backend, modules => ['socache_shmcb'], conf => "TmplMode $mode\nTmplParts all\nTmplCache shmcb\n");
            $httpd->visit(1 .. 40);
            my ($judged, $again) = $httpd->visit(50, 50);
            return ($httpd, $judged, $again);
        });
        is cached($judged, $again), 'miss hit', "$mode: judged, then found";
        same_bytes($again->body, $judged->body, "$mode: the same");
        $httpd->finish;
    }
};

# What is sent in place of a page is kept, too, in another Redis here; but a text of one person is not.
subtest 'bodies' => sub {
    plan skip_all => 'no redis-server' if !Test::Tmpl::Redis::available();
    plan skip_all => 'no mod_socache_redis' if !Test::Tmpl::Httpd::has_module('socache_redis');
    my $redis = Test::Tmpl::Redis->new;
    for my $mode (qw(text markdown json reader)) {
        my $port = free_port();
        my $httpd = proxy($backend, modules => ['socache_redis'], conf => "Listen $port\n<VirtualHost *:$port>\nServerName test.example\n"
            . "ServerAlias other.example\nProxyPass / ${\ $backend->url}/\n</VirtualHost>\nTmplMode $mode\n"
            . "<If \"-n req('X-Content')\">\nTmplValidate content\n</If>\nTmplCache redis:127.0.0.1:" . $redis->port . "\n");
        $redis->command('FLUSHALL');
        my $texts = sub { scalar grep { $redis->command('GET', $_) =~ /Item \d+\.1/ } @{ $redis->command('KEYS', '*') } };
        my @own = map { $httpd->get('/page/7', headers => { Cookie => 'session=1' }) } 1 .. 2;
        is cached(@own), 'miss hit', "$mode: the decision about a person's page is kept";
        is $texts->(), 0, 'without its text';
        my @public = $httpd->visit(7, 7, 7);
        is cached(@public), 'personal hit hit', 'the same page for all';
        is $texts->(), 1, 'whose text is kept';
        same_bytes($public[2]->body, $public[0]->body, 'and is sent');
        my @hosts = map { Test::Tmpl::Client->new(port => $port)->get('/page/7', headers => { Host => $_ })->body } 'test.example', 'other.example';
        like $hosts[1], qr{//other\.example}, 'with the address of the request' if $mode =~ /markdown|json/;
        unlike $httpd->get('/page/7', headers => { 'X-Content' => 1 })->body, qr/"version"/, 'without its version if it has a tag of its own';
        $httpd->finish;
    }
};

# How a page is divided depends on the backend and the network. Its parts are hashed where they lie, and a
# changed byte in any of them makes it another page.
subtest 'a page in pieces' => sub {
    my $long = site(extra => sub { $_[0] == 50 ? Test::Tmpl::Pages::long(50, 60_000) : '' });
    my $in_pieces = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{/page/(\d+)};
        my ($how, $changed) = ($request->{headers}{'x-how'} // '') =~ /^([a-z]*)(\d*)$/;
        my $page = $long->page($n);
        substr $page, $changed, 1, '!' if ($changed // '') ne '';
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, $page) if ($how // '') ne 'pieces';
        return $connection->respond_chunked(200, { 'Content-Type' => 'text/html' }, unpack '(a1a3000a9000a5)*', $page);
    };
    my ($httpd, $judged, %is) = within(60, sub {
        my $httpd = proxy($in_pieces, modules => ['socache_shmcb'], conf => "TmplMode strip\nTmplCache shmcb\n");
        $httpd->visit(1 .. 40);
        my ($judged, $again, $pieces) = map { $httpd->get('/page/50', headers => { 'X-How' => $_ }) } '', 'whole', 'pieces';
        my @other = map { $httpd->get('/page/50', headers => { 'X-How' => $_ }) } 'pieces' . (length($long->page(50)) - 20), 'whole20000';
        return ($httpd, $judged, again => $again, pieces => $pieces, other => \@other);
    });
    cmp_ok length $long->page(50), '>', 25_000, 'a page of several buckets';
    is cached($judged, @is{qw(again pieces)}), 'miss hit hit', 'judged, then found, however it comes';
    same_bytes($is{$_}->body, $judged->body, "$_: the same page") for qw(again pieces);
    isnt length $judged->body, length $long->page(50), 'which was changed';
    unlike cached(@{ $is{other} }), qr/hit/, 'a byte of a later part is another: another page';
    $httpd->finish;
};

subtest 'the configuration and the secret' => sub {
    my $base = "TmplCache shmcb\nTmplSiteKey one\n";
    my %other = (
        annotate => 'TmplMode annotate', mark => "TmplMode annotate\nTmplMark pagefind htdig", keep => 'TmplKeep aside', drop => 'TmplDrop main', secret => 'TmplSecret other', site => 'TmplSiteKey two', separators => 'TmplSeparators div',
        parts => "TmplMinKeep 0\nTmplParts -body", detector => 'TmplDetector pagelevel',
        model => "TmplModel $FindBin::Bin/../../tests/models/all.trees", smoothing => "TmplDetector pagelevel\nTmplSmoothing max",
        store => 'TmplStore lmdb:@ROOT@/another', lifetime => 'TmplLifetime 300 10',
    );
    my $settings = slurp("$FindBin::Bin/../../shared/settings.h") =~ s/\\\n/ /gr;
    is_deeply([$settings =~ /\bX\(\w+, "(\w+)", (?:(?!\bX\().)*? TMPL_ASIDE,/g],
        [qw(TmplMarkdown TmplJson TmplHighlightAllow TmplStoreRead TmplCache TmplSiteKey TmplPageKey TmplLearn TmplLearnDelay TmplDocuments TmplMaxDocuments TmplMaxBody TmplMaxWait TmplTimeout TmplValidate TmplRecent TmplMetricsSites TmplAdmin)],
        'what is decided about a page does not depend on these');
    # the end of a range that is not the default, and of what is on or off both
    for ([FLAG => qw(on off)], map { [$_ => ''] } qw(NUMBER SHARE)) {
        my ($form, @ends) = @$_;
        while ($settings =~ /\bX\(\w+, "(\w+)", [^,]+, $form, "(\S*)", "(\S*)",\s+"([^"]*)", TMPL_DECIDES,/g) {
            my ($name, $end) = ($1, $3 ne $4 ? $3 : $2);
            $other{"$name-$_"} = "$name $_" for $form eq 'FLAG' ? @ends : $end;
        }
    }
    for my $directive ($settings =~ /\bX\(\w+, "(\w+)", (?:(?!\bX\().)*? TMPL_DECIDES,/g) {
        ok((grep { /$directive / } values %other), "$directive is tried");
    }
    my $locations = join '', map { "<If \"%{HTTP:X-Conf} == '$_'\">\n$other{$_}\n</If>\n" } sort keys %other;
    my $cached = with_cache("$base$locations");
    my $plain = proxy($backend, conf => "TmplMode strip\nTmplSiteKey one\n$locations");
    for my $conf (sort(keys %other), 'none') {
        $_->visit(1 .. 20) for $cached, $plain;
        my @pages = map { $cached->get('/page/7', headers => { 'X-Conf' => $conf }) } 1 .. 2;
        my $true = $plain->get('/page/7', headers => { 'X-Conf' => $conf });
        same_bytes($pages[0]->body, $true->body, "$conf: as without a cache");
        same_bytes($pages[1]->body, $true->body, "$conf: and again");
    }
    $_->finish for $cached, $plain;
};

# What an .htaccess file sets lives as long as a request, and has the address of what another one sets.
subtest 'settings of .htaccess files' => sub {
    my %sets = (pagefind => 'TmplMark pagefind', other => 'TmplMark data-other', own => 'TmplMark data-own', secret => 'TmplSecret other');
    my %mark = (pagefind => 'data-pagefind-ignore', other => 'data-other', own => 'data-own', secret => 'data-tmpl');
    my $httpd = Test::Tmpl::Httpd->new(modules => ['socache_shmcb'], conf => <<'END');
TmplMode annotate
TmplCache shmcb
TmplPageKey "%{REQUEST_URI}"
<Directory "@ROOT@/htdocs">
    Require all granted
    AllowOverrideList TmplMark TmplSecret
</Directory>
END
    my $root = $httpd->root . '/htdocs';
    for my $dir (keys %sets, 'learnt') {
        mkdir "$root/$dir" or die $!;
        spit("$root/$dir/.htaccess", "$sets{$dir}\n") if $sets{$dir};
        spit("$root/$dir/$_.html", $site->page($_)) for 1 .. 8;
    }
    $httpd->start;
    my $client = $httpd->client;
    $client->get("/learnt/$_.html") for 1 .. 8;
    my @wrong;
    for my $dir ((sort keys %mark) x 3) {
        my $body = $client->get("/$dir/8.html")->body;
        push @wrong, map { "$dir: $_" } grep { ($_ eq $mark{$dir}) != ($body =~ / \Q$_\E[=\s>]/) } sort values %mark;
    }
    is join("\n", @wrong), '', 'each page has the marks of its folder';
    $httpd->finish;
};

subtest 'bytes that differ' => sub {
    my $httpd = with_cache('TmplCache shmcb');
    $httpd->visit(1 .. 40);
    my $page = ($httpd->visit(41))[0]->body;
    is cached($httpd->visit(41)), 'hit', 'the page itself';
    # pages of the same length
    for my $letter ('a' .. 'e') {
        spit($file, "<p>$letter</p>");
        my ($one, $two) = map { $httpd->visit(41) } 1 .. 2;
        same_bytes($two->body, $page =~ s{</article>}{<p>$letter</p></article>}r, "with $letter in it");
        same_bytes($one->body, $two->body, "$letter: and before it was found");
    }
    spit($file, '');
    $httpd->finish;
};

# A page with little but the text of another one is not learnt, so the store never knows it.
subtest 'near copies' => sub {
    my $httpd = with_cache('TmplCache shmcb');
    $httpd->visit(1 .. 40);
    spit($file, '<p>Printed.</p>');
    my @answers = map { $httpd->get('/page/40?print') } 1 .. 2;
    is $answers[0]->says('pages'), 40, 'the page is not learnt';
    is cached(@answers), 'miss hit', 'and is found again';
    same_bytes($answers[1]->body, $answers[0]->body, 'the same');
    spit($file, '');
    $httpd->finish;
};

subtest 'a page that was not learnt is learnt when it may be' => sub {
    my $httpd = with_cache('TmplCache shmcb');
    $httpd->visit(1 .. 40);
    my @answers = map { $httpd->get('/page/45', headers => { Authorization => 'Basic eDp5' }) } 1 .. 2;
    is cached(@answers), 'miss hit', 'a private page is found again';
    is $answers[1]->says('learned'), 0, 'and not learnt from';
    my ($public, $again) = map { $httpd->visit(45) } 1 .. 2;
    is cached($public, $again), 'personal hit', 'a public one is judged, for it may be learnt from';
    is $public->says('pages'), 41, 'and is';
    $httpd->finish;
};

subtest 'none' => sub {
    my $httpd = with_cache("TmplCache shmcb\n<Location /page/5>\nTmplCache none\n</Location>");
    $httpd->visit(1 .. 40);
    is cached($httpd->visit(5, 5)), 'none none', 'TmplCache none';
    my $cold = with_cache('TmplCache shmcb');
    is cached($cold->visit(1, 1, 2, 1, 1)), 'miss hit miss stale hit', 'a site hardly known: until it learns a page';
    $_->finish for $httpd, $cold;
};

# Nonces and tokens of any length differ each time; what a script looks up, and what is shown, must not.
subtest 'another nonce each time' => sub {
    my $nonces = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{/page/(\d+)};
        my ($nonce, $script) = map { $request->{headers}{$_} // '' } qw(x-nonce x-script);
        my $more = qq(<script nonce="$nonce">var t = '$nonce';$script</script><form><input type="hidden" name="t" value="$nonce"></form>);
        $connection->respond(200, { 'Content-Type' => 'text/html' },
            $site->page($n) =~ s{<body[^>]*>\K}{$more}r =~ s{</article>}{$more</article>}r);
    };
    for my $mode (qw(strip annotate text)) {
        my @httpds = map { proxy($nonces, conf => Test::Tmpl::Httpd::one_child() . "TmplMode $mode\n$_\n") } '', 'TmplCache none';
        $_->visit(1 .. 20, 7) for @httpds;
        for my $view (map({ [hit => $_, ''] } 'a', 'bcdefghijklmnop', '', '<b>', '</b'),
            map { [changed => 'a', $_] } 'document.write(1)', "document.getElementById('content')", '<!--', '</script>') {
            my ($is, $nonce, $script) = @$view;
            my ($one, $other) = map { $_->get('/page/7', headers => { 'X-Nonce' => $nonce, 'X-Script' => $script }) } @httpds;
            same_bytes($one->body, $other->body, "$mode, $nonce$script: as without a cache");
            is cached($one), $is, "$mode, $nonce$script: $is";
        }
        $_->finish for @httpds;
    }
};

my $status = "<Location /tmpl-status>\nProxyPass !\nSetHandler tmpl-status\n</Location>\n";

# By default: mod_socache_shmcb, if it is loaded.
subtest 'default' => sub {
    my $httpd = proxy($backend, conf => Test::Tmpl::Httpd::one_child() . "TmplMode strip\n$status");
    $httpd->visit(1 .. 40, 7, 8);
    is cached($httpd->visit(7, 7)), 'hit hit', 'kept';
    my @forms;
    for my $text ('', '<p>b</p>', '', '<p>b</p>', '<p>c</p>', '<p>b</p>', '') {
        spit($file, $text);
        push @forms, $httpd->visit(8);
    }
    spit($file, '');
    is cached(@forms), 'hit changed hit hit changed changed hit', 'the first and the last form of a page are kept';
    my $status = decode_json($httpd->get('/tmpl-status?format=json')->body);
    is $status->{cache_entries}, 41, 'decisions are counted, two of one page';
    cmp_ok $status->{cache_bytes}, '>', 35 * 200, 'and their bytes';
    is $status->{cache_max_bytes}, 8 << 20, 'of so many';
    like $httpd->get('/tmpl-status')->body, qr{The cache has 41 decisions, [ .\dKM]+ of 8.0M\.}, 'on the page, too';
    is system($tool, 'forget', '--store', 'lmdb:' . $httpd->root . '/store', 'test.example'), 0, 'tmplctl forgets the site';
    is cached($httpd->visit(7)), 'stale', 'which is known at once';
    $httpd->finish;
};

# Its cache has a pool below that of the configuration: with the APR of apr-debug ASan sees which of them ends first.
subtest 'a cache in a file' => sub {
    plan skip_all => 'httpd has no mod_socache_dbm' if !Test::Tmpl::Httpd::has_module('socache_dbm');
    my $httpd = with_cache('TmplCache dbm:@ROOT@/cache/decisions', modules => ['socache_dbm']);
    $httpd->visit(1 .. 40, 7);
    is cached($httpd->visit(7)), 'hit', 'a decision is kept';
    $httpd->graceful;
    is cached($httpd->visit(7, 7)), 'miss hit', 'and in a new file after a restart';
    $httpd->finish;
};

# What a cache needs may be missing: then pages are judged each time.
for my $case (['mod_socache_shmcb', 'T028', '', bare => 1], ['the mutex', 'T019', 'Mutex file:/proc tmpl-cache']) {
    my ($what, $message, $conf, @how) = @$case;
    subtest "without $what" => sub {
        my $httpd = proxy($backend, @how, conf => "TmplStore lmdb:\@ROOT\@/store\nTmplMode strip\n$conf\n$status");
        $httpd->visit(1 .. 3);
        is cached($httpd->visit(3)), 'none', 'nothing is kept';
        is decode_json($httpd->get('/tmpl-status?format=json')->body)->{cache_entries}, 0, 'as the status says';
        like $httpd->log_text, qr/\[$message\]/, 'and the log';
        $httpd->expect_log(qr/\[T0(?:19|28)\]|: tmpl-cache|tmpl-cache mutex/);
        $httpd->finish;
    };
}

done_testing;
