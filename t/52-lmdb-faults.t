# SPDX-License-Identifier: Apache-2.0

# An embedded store that is missing, may not be written, or is garbage costs no page: every page
# passes untouched with declined=store, and the log names the directory. A store that fills up
# still answers.

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };

# A proxy whose store directory was made unusable by code; all of eight pages must pass.
sub broken {
    my ($name, $spoil, $dir) = @_;
    subtest $name => sub {
        my $httpd = Test::Tmpl::Httpd->new(no_store => 1,
            conf => 'ProxyPass / ' . $backend->url . "/\nTmplMode strip\nTmplStore lmdb:\@ROOT\@/" . ($dir // 'store'));
        $spoil->($httpd->root . '/store');
        $httpd->expect_log(qr/\[tmpl:(?:warn|error|crit)\]/);
        $httpd->start;
        my @answers = $httpd->visit(1 .. 8);
        my @wrong = grep { $answers[$_]->status != 200 || $answers[$_]->body ne $site->page($_ + 1) } 0 .. 7;
        is_deeply \@wrong, [], 'all pages untouched';
        is scalar(grep { $_->says('declined') eq 'store' } @answers), 8, 'each says declined=store';
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
    skip 'not root: nobody else to take the right from', 1 if !defined Test::Tmpl::Process::server_user();
    broken('a directory of somebody else', sub { chown 0, 0, $_[0]; chmod 0700, $_[0] });
    broken('a directory without the right to write', sub { chown 0, 0, $_[0]; chmod 0755, $_[0] });
}
for my $size (10, 4096, 65_536) {
    broken("a data file of $size bytes of garbage",
        sub { give_to_server(spit("$_[0]/data.mdb", join '', map { chr($_ * 131 % 251) } 1 .. $size)) });
}

subtest 'a file cut short' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode strip');
    $httpd->visit(1 .. 6);
    $httpd->stop;
    my $file = $httpd->root . '/store/data.mdb';
    truncate $file, (-s $file) / 2 - (-s $file) / 2 % 4096;
    $httpd->expect_log(qr/\[tmpl:(?:warn|error|crit)\]/);
    $httpd->start;
    my @answers = map { [$_, $httpd->get("/page/$_")] } 7 .. 14;
    my @wrong = grep {
        my ($n, $res) = @$_;
        $res->status != 200 || $res->body ne $site->page($n) && $res->body ne $site->stripped($n)
    } @answers;
    is scalar @wrong, 0, 'no wrong answer';
    $httpd->finish;
};

subtest 'a disk that fills up' => sub {
    my $wide = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{/wide/(\d+)} or return $site->answer(@_);
        my $html = $site->page($n) =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. 300), '</article>'}er;
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
    };
    my $httpd = proxy($wide, conf => 'TmplMode strip', file_limit => 512, log_level => 'info');
    $httpd->expect_log(qr/\[tmpl:(?:warn|error|crit)\]/);
    $httpd->visit(1 .. 6);
    my @answers = map { $httpd->get("/wide/$_") } 1 .. 60;
    is scalar(grep { $_->status == 200 && $_->complete } @answers), 60, 'every page is answered';
    is scalar(grep { $_->body !~ /Story number/ } @answers), 0, 'with its article';
    like $httpd->log_text, qr/\[tmpl:(?:warn|error|crit)\]/, 'the log tells';
    my $lines = () = $httpd->log_text =~ /\[tmpl:(?:warn|error|crit)\]/g;
    cmp_ok $lines, '<=', 30, "in $lines lines";
    my $res = $httpd->get('/page/6');
    ok $res->body eq $site->stripped(6) || $res->body eq $site->page(6), 'and pages are right';
    $httpd->finish;
};

done_testing;
