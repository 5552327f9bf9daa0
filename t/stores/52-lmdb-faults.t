# SPDX-License-Identifier: Apache-2.0

# An LMDB store that is missing or may not be written: incremental passes every page unchanged with
# declined=store, auto judges it without the store, and the log names the directory. A damaged file
# is moved aside when the server starts, and a file that is removed in use is made anew; both are
# logged, and pages are learnt anew. A full store can still be read.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };

# Nine pages through a proxy whose store directory was made unusable by code.
sub broken {
    my ($name, $spoil, $dir) = @_;
    subtest $name => sub {
        my $httpd = Test::Tmpl::Httpd->new(no_store => 1, conf => 'ProxyPass / ' . $backend->url
            . "/\n${Test::Tmpl::BY_FIELD}TmplMode strip\nTmplStore lmdb:\@ROOT\@/" . ($dir // 'store'));
        $spoil->($httpd->root . '/store');
        $httpd->expect_log(qr/\[tmpl:(?:warn|error|crit)\]/);
        $httpd->start;
        is join("\n", wrong_without_store($httpd, $site, 1 .. 9)), '', 'each response is right and reports the failure';
        like $httpd->log_text, qr/\[tmpl:(?:warn|error|crit)\].*\Q${\ $httpd->root}/, 'the log names the directory';
        my $lines = () = $httpd->log_text =~ /\[tmpl:(?:warn|error|crit)\]/g;
        cmp_ok $lines, '<=', 20, "$lines lines in the log";
        $httpd->finish;
    };
    return;
}

broken('a directory that cannot be made', sub { rmdir $_[0]; spit($_[0], 'a file') });
broken('a parent that is a file', sub { spit("$_[0]/file", '') }, 'store/file/store');
SKIP: {
    skip 'not root: the server has no other user whose permission could be removed', 1 if !defined Test::Tmpl::Process::server_user();
    broken('a directory of somebody else', sub { chown 0, 0, $_[0]; chmod 0700, $_[0] });
    broken('a directory without the right to write', sub { chown 0, 0, $_[0]; chmod 0755, $_[0] });
}

# A server that has learnt, and is started again after code has damaged its file.
sub damaged {
    my ($name, $damage) = @_;
    subtest $name => sub {
        my $httpd = proxy($backend, detector => 'incremental', conf => 'TmplMode strip');
        $httpd->visit(1 .. 6);
        $httpd->stop;
        my $dir = $httpd->root . '/store';
        my $bytes = $damage->(slurp("$dir/data.mdb"));
        give_to_server(spit("$dir/data.mdb", $bytes));
        $httpd->expect_log(qr/\[T023\]/);
        $httpd->start;
        my @answers = $httpd->visit(1 .. 6);
        is $answers[5]->says('pages'), 6, 'pages are learnt anew';
        same_bytes($answers[5]->body, $site->stripped(6), 'the last one is stripped');
        is scalar(grep { $_->says('declined') ne '' } @answers), 0, 'none is declined';
        my @kept = glob "$dir/data.mdb.damaged-*";
        is scalar @kept, 1, 'the damaged file is kept';
        ok slurp($kept[0]) eq $bytes, 'as it was';
        my @lines = $httpd->log_text =~ /\[T023\].*\Q$dir\E.*/g;
        is scalar @lines, 1, 'the log says so once';
        like $lines[0], qr/\Q${\ ($kept[0] =~ s{.*\/}{}r)}/, 'and names the file';
        $httpd->finish;
    };
    return;
}

for my $size (10, 4096, 65_536) {
    damaged("a data file of $size bytes of garbage", sub { join '', map { chr($_ * 131 % 251) } 1 .. $size });
}
damaged('a file cut short', sub { substr $_[0], 0, 3 * 4096 });
damaged('zeros in the middle of the file', sub { substr($_[0], 4 * 4096, length($_[0]) - 5 * 4096) =~ tr/\0-\377/\0/; $_[0] });

# One child, because each notices at its next request.
my $ONE = Test::Tmpl::Httpd::one_child();

for my $what ('data.mdb', 'the directory') {
    subtest "$what is removed in use" => sub {
        my $httpd = proxy($backend, detector => 'incremental', conf => "${ONE}TmplMode strip");
        $httpd->expect_log(qr{\[T024\]});
        my $dir = $httpd->root . '/store';
        $httpd->visit(1 .. 6);
        if ($what eq 'data.mdb') { unlink "$dir/data.mdb" or die $! }
        else { rename $dir, "$dir.old" or die $!; mkdir $dir or die $!; give_to_server($dir) }
        ok wait_for { $httpd->get('/page/6')->says('pages') eq '1' }, 'it is noticed: the site begins anew';
        like $httpd->log_text, qr/\[T024\].*\Q$dir/, 'the log says so';
        my @answers = $httpd->visit(1 .. 6);
        is $answers[5]->says('pages'), 6, 'pages are learnt';
        ok -s "$dir/data.mdb", 'into a new file';
        $httpd->graceful;
        is $httpd->get('/page/6')->says('pages'), 6, 'which the next child finds';
        $httpd->finish;
    };
}

subtest 'a backup is put in place of data.mdb in use' => sub {
    my $httpd = proxy($backend, detector => 'incremental', conf => "${ONE}TmplMode strip");
    $httpd->expect_log(qr{\[T024\]});
    my $dir = $httpd->root . '/store';
    $httpd->visit(1 .. 6);
    $httpd->stop;
    give_to_server(spit("$dir/data.mdb.new", slurp("$dir/data.mdb")));
    $httpd->start;
    is $httpd->get('/page/7')->says('pages'), 7, 'a page is learnt since';
    rename "$dir/data.mdb.new", "$dir/data.mdb" or die $!;
    ok wait_for { $httpd->get('/page/6')->says('pages') eq '6' }, 'it is noticed';
    same_bytes($httpd->get('/page/6')->body, $site->stripped(6), 'the site is known, as it was then');
    is $httpd->get('/page/7')->says('pages'), 7, 'and learnt again';
    $httpd->finish;
};

subtest 'a disk that fills up' => sub {
    my $wide = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{/wide/(\d+)} or return $site->answer(@_);
        my $html = $site->page($n) =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. 300), '</article>'}er;
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
    };
    my $httpd = proxy($wide, detector => 'incremental', conf => 'TmplMode strip', ulimit => '-f 1024', log_level => 'info');
    $httpd->expect_log(qr/\[T013\]/);
    $httpd->visit(1 .. 6);
    my ($n, @answers) = (0);
    ok wait_for { push @answers, $httpd->get('/wide/' . ++$n); $httpd->log_text =~ /\[T013\]/ }, 'the file becomes full';
    # some find room, in pages of the file that were freed
    my $lost = 0;
    ok wait_for { push @answers, $httpd->get('/wide/' . ++$n); ($lost += $answers[-1]->says('learned') eq '0') > 10 }, 'pages are not learnt';
    is scalar(grep { $_->status != 200 || !$_->complete || $_->body !~ /Story number/ } @answers), 0,
        'every response has the article';
    is scalar(grep { $_->says('declined') ne '' } @answers), 0, 'all pages are judged';
    my $lines = () = $httpd->log_text =~ /\[tmpl:(?:warn|error|crit)\]/g;
    cmp_ok $lines, '<=', Test::Tmpl::Httpd::mpm() eq 'prefork' ? 16 : 8, "one line in the log for each child, $lines in all";
    same_bytes($httpd->get('/page/6')->body, $site->stripped(6), 'what was learnt before the fault is used');
    is $httpd->get('/page/6')->says('declined'), '', 'a page that is counted already: not declined';
    $httpd->finish;
};

done_testing;
