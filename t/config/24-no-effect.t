# SPDX-License-Identifier: Apache-2.0

# A directive that no request can make use of is named with its file and line, by configtest and once at each
# start. Directives that a request may make use of are not, whatever sections they are in. The store of a
# TmplStore without effect is not opened.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use JSON::PP qw(decode_json);

my $root = "$FindBin::Bin/../..";
my $pagelevel = "$root/models/pagelevel.model";
my $auto = "$root/tests/models/one.trees";

# "LINE: REASON" for each warning in a text, sorted; LINE is the text of the line that the warning names.
sub warned {
    my ($httpd, $said) = @_;
    my $file = $httpd->root . '/httpd.conf';
    my @lines = split /\n/, slurp($file);
    my @found;
    while ($said =~ /\[T040\] (\S+):(\d+): (\w+) (.*)$/mg) {
        my ($named, $line, $directive, $why) = ($1, $2, $3, $4);
        push @found, $named eq $file && $lines[ $line - 1 ] =~ /^\s*(\Q$directive\E .*)/ ? "$1: $why" : "$named:$line: $directive $why";
    }
    return join "\n", sort @found;
}

# Checks what configtest says. Lines of the configuration that must be named begin with "REASON>".
my %WHY = (
    off => 'has no effect: TmplMode is off here',
    nobody => 'has no effect: highlight shows nobody anything until TmplHighlightAllow says for whom',
    pagelevel => 'has no effect: the model is for TmplDetector pagelevel, which is not in force here',
    auto => 'has no effect: the model is for TmplDetector auto, which is not in force here',
    parts => 'has no effect: only TmplDetector auto tells parts apart, which is not in force here',
    smoothing => 'has no effect: TmplDetector is not pagelevel here',
    marks => 'has no effect: TmplMode is not annotate here',
    replaced => 'has no effect: a later line of the same section replaces it',
    other => 'has no effect: each server with a TmplMode other than off has another one',
    learn => 'has no effect: no page gets a date, as TmplMode is learn here',
    dates => 'has no effect: no page gets a date, as TmplDetector is not auto here',
);

sub check {
    my ($name, $conf, %args) = @_;
    my @named = map { /^\s*(\w+)> *(.*?)\s*$/ ? "$2: $WHY{$1}" : () } split /\n/, $conf;
    my $httpd = Test::Tmpl::Httpd->new(bare => 1, %args, conf => $conf =~ s/^(\s*)\w+>/$1/mgr);
    my ($ok, $said) = $httpd->configtest;
    ok $ok, "$name: is accepted" or diag $said;
    is warned($httpd, $said), join("\n", sort map { s/\@ROOT\@/$httpd->root/er } @named), "$name: what is named";
    return;
}

sub vhost {
    my ($name, $conf) = @_;
    return "<VirtualHost *:\@PORT\@>\nServerName $name.example\n$conf\n</VirtualHost>\n";
}

my @LINES = (
    # directive, why it has no effect, what gives it one
    ['TmplMarkdown on', 'off', 'TmplMode learn'],
    ['TmplValidate content', 'off', 'TmplMode strip'],
    ['TmplHighlightAllow true', 'off', 'TmplMode headers'],
    ['TmplMode highlight', 'nobody', 'TmplHighlightAllow true'],
    ["TmplModel $pagelevel", 'pagelevel', 'TmplDetector pagelevel'],
    ['TmplSmoothing max', 'smoothing', 'TmplDetector pagelevel'],
    ['TmplMark pagefind', 'marks', 'TmplMode annotate'],
    ['TmplDocuments on', 'off', 'TmplMode headers'],
);
for (@LINES) {
    my ($plain, $why, $cure) = @$_;
    my $named = "$why> $plain";
    subtest $plain => sub {
        check('in the server', "$named\n");
        check('in a virtual host', vhost('a', $named) . vhost('b', "TmplMode strip\n$cure"));
        check('in a Location', "<Location /a>\n$named\n</Location>\n");
        check('in an If', "<If \"true\">\n$named\n</If>\n");
        check('cured beside it', "$plain\n$cure\n");
        check('cured in a Location', "$plain\n<Location /b>\n$cure\n</Location>\n");
        check('cured in an If within a Directory', "$plain\n<Directory />\n<If \"true\">\n$cure\n</If>\n</Directory>\n");
        check('cured in a virtual host', "$plain\n" . vhost('a', $cure));
        check('cured in a Location of a virtual host', "$plain\n" . vhost('a', "<Location /a>\n$cure\n</Location>"));
        check('in a virtual host, cured in the server', "$cure\n" . vhost('a', $plain));
        check('in a virtual host, cured in a Location of the server', "<Location /a>\n$cure\n</Location>\n" . vhost('a', $plain));
        check('in two Locations, of which one is cured', "<Location /a>\n$plain\n</Location>\n<Location ~ b>\n$cure\n</Location>\n");
    };
}

subtest 'what is near is what counts' => sub {
    check('off in the virtual host', "TmplMode strip\n" . vhost('a', "TmplMode off\noff> TmplMarkdown on") . vhost('b', 'TmplMarkdown on'));
    check('off in the section itself', "TmplMode strip\n<Location /a>\nTmplMode off\noff> TmplMarkdown on\n</Location>\n");
    check('off in the section itself, on in an If', "<Location /a>\nTmplMode off\nTmplMarkdown on\n</Location>\n<If \"true\">\nTmplMode strip\n</If>\n");
    check('lists of a site that is only learnt', "TmplMode learn\nlearn> TmplDocuments on\n");
    check('lists by another detector', "TmplMode strip\nTmplDetector style\ndates> TmplDocuments on\n" . vhost('a', 'TmplMode off'));
    check('lists by another detector, in a part of the site', "TmplMode strip\n<Location /a>\nTmplDetector style\n</Location>\nTmplDocuments on\n");
    check('a model for auto, and another detector', "TmplDetector style\nauto> TmplModel $auto\n" . vhost('a', 'TmplMode strip'));
    check('a model for auto, and another detector but in one virtual host', "TmplDetector style\nTmplModel $auto\n" . vhost('a', 'TmplDetector auto'));
    check('two models, one is used', "TmplDetector pagelevel\nTmplModel $pagelevel\nauto> TmplModel $auto\n");
    check('a later line is used', "TmplMode off\nTmplMode strip\nTmplMarkdown off\nTmplMarkdown on\n");
    check('only the later line is named', "TmplMode off\nnobody> TmplMode highlight\n");
    check('another detector has no parts', "TmplDetector style\nparts> TmplParts body\n" . vhost('a', 'TmplMode strip'));
    check('another detector has no parts, but one Location has auto', "TmplDetector style\nTmplParts body\n<Location /a>\nTmplDetector auto\n</Location>\n");
    check('defaults of another detector', "TmplDetector style\nTmplParts all -comment -review -related -notice -control -hidden\n");
    check('defaults', "TmplMode off\nTmplMarkdown off\nTmplSmoothing off\nTmplMark data-tmpl\n");
};

# The stores that the server opens, by the names of their directories in the server's root.
sub opened {
    my ($conf, @expected) = @_;
    my $httpd = Test::Tmpl::Httpd->new(bare => 1, modules => ['socache_shmcb'], conf => $conf
            . "<Location /status>\nSetHandler tmpl-status\n</Location>\n");
    $httpd->expect_log(@expected);
    $httpd->start;
    my $status = $httpd->get('/status?format=json')->body;
    my @listed = sort map { $_->{store} =~ s{.*/}{}r } @{ decode_json($status)->{stores} };
    is join(' ', grep { -e $httpd->root . "/$_" } qw(a b c run/tmpl)), "@listed", 'the status lists the stores that were made';
    $httpd->finish;
    return "@listed";
}

subtest 'stores' => sub {
    my ($a, $b, $c) = map { "TmplStore lmdb:\@ROOT\@/$_" } qw(a b c);
    my $named = qr/T040/;
    my %case = (
        'replaced in the section' => ["replaced> $a\n$b\nTmplMode strip\n", 'b'],
        'the same twice' => ["$a\n$a\nTmplMode strip\n", 'a'],
        'the shipped store, replaced in each virtual host' =>
            ["TmplMode off\nother> $a\n" . vhost('v', "TmplMode strip\n$b") . vhost('w', "TmplMode learn\n$c"), 'b c'],
        'another virtual host is off' => ["other> $a\n" . vhost('u', '') . vhost('v', "TmplMode strip\n$b"), 'b'],
        'one virtual host inherits it' => ["$a\n" . vhost('v', "TmplMode strip\n$b") . vhost('w', 'TmplMode learn'), 'a b'],
        'a Location of a virtual host inherits it' => ["$a\n" . vhost('v', "TmplMode strip\n$b") . vhost('w', "<Location /a>\nTmplMode learn\n</Location>"), 'a b'],
        'a Location of the server has a mode' => ["$a\n<Location /x>\nTmplMode learn\n</Location>\n" . vhost('v', "TmplMode strip\n$b"), 'a b'],
        'one virtual host names it, too' => ["$a\n" . vhost('v', "TmplMode strip\n$b") . vhost('w', "TmplMode strip\n$a"), 'a b'],
        'in sections' => ["$a\nTmplMode strip\n<Location /a>\n$b\n</Location>\n<If \"true\">\n$c\n</If>\n", 'a b c'],
        'no mode at all' => ["$a\n" . vhost('v', $b), 'a b'],
        'an own store, and off' => ["$a\nTmplMode strip\n" . vhost('v', "TmplMode off\n$b"), 'a b'],
        'a replica of another store' => ["$a\nother> TmplStoreRead lmdb:\@ROOT\@/c\n" =~ s/^T/other> T/r . vhost('v', "TmplMode strip\n$b"), 'b'],
    );
    for my $name (sort keys %case) {
        my ($conf, $stores) = @{ $case{$name} };
        check($name, $conf);
        is opened($conf =~ s/^\w+> *//mgr, $conf =~ /^\w+>/m ? $named : ()), $stores, "$name: only these are opened";
    }
};

subtest 'once at each start' => sub {
    my $httpd = Test::Tmpl::Httpd->new(bare => 1, conf => "TmplMarkdown on\nTmplStore lmdb:\@ROOT\@/store\n");
    $httpd->expect_log(qr/T040/);
    my $count = sub { return scalar(() = $httpd->log_text =~ /T040/g) };
    $httpd->start;
    is $count->(), 1, 'start';
    like $httpd->log_text, qr/\[tmpl:warn\].*\[T040\] \S+httpd\.conf:\d+: TmplMarkdown has no effect/, 'a warning';
    $httpd->graceful;
    is $count->(), 2, 'graceful restart';
    $httpd->restart;
    is $count->(), 3, 'start again';
    $httpd->{conf} =~ s/TmplMarkdown on/TmplMarkdown off/;
    spit($httpd->root . '/httpd.conf', $httpd->conf_text);
    $httpd->graceful;
    is $count->(), 3, 'not once it is mended';
    $httpd->finish;
};

subtest 'what is shipped and documented' => sub {
    for my $file (grep { !m{/nginx[.]conf$} } sort glob "\Q$root\E/conf/*.conf") {
        my $defines = join '', map { "Define $_\n" } 'TMPL_LISTEN 8080', 'TMPL_BACKEND http://127.0.0.1:9/';
        check($file =~ s{.*/}{}r, "${defines}Include \"$file\"\n", modules => [qw(setenvif rewrite)]);
    }
    for my $file ("$root/README.md", sort glob "\Q$root\E/docs/*.md") {
        my $n = 0;
        for my $example (slurp($file) =~ /^```apache\n(.*?)^```/msg) {
            my $name = ($file =~ s{.*/}{}r) . ', example ' . ++$n;
            # an example shows a part of a configuration that has a mode
            my $mode = $example =~ /^\s*TmplMode /m ? '' : "TmplMode headers\n";
            check($name, "$mode$example", modules => [qw(ssl socache_shmcb)]);
        }
    }
};

done_testing;
