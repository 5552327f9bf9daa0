<?php
/* SPDX-License-Identifier: Apache-2.0
 *
 * wordpress.php DIRECTORY STORY: installs WordPress into its empty database and fills it with the
 * posts, pages, comments and categories of STORY, a file of JSON that wordpress() in programs.py
 * writes. Prints the addresses of pages. */
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
$story = json_decode(file_get_contents($argv[2]), true);

function wp_new_blog_notification($title, $url, $user, $password) {}
wp_install($story['brand'], 'editor', 'editor@example.com', true, '', 'made-for-a-corpus');
switch_theme($story['theme']);
foreach (get_posts(['post_type' => ['post', 'page'], 'post_status' => 'any', 'numberposts' => -1]) as $post) {
    wp_delete_post($post->ID, true);
}
update_option('posts_per_page', 8);
update_option('comment_moderation', 0);
update_option('rss_use_excerpt', 1);
update_option('blogdescription', $story['motto']);

$users = [];
foreach ($story['people'] as $i => $name) {
    $users[] = wp_insert_user(['user_login' => "user$i", 'user_pass' => 'made-for-a-corpus', 'display_name' => $name,
                               'user_email' => "user$i@example.com", 'role' => 'author', 'description' => $story['bios'][$i] ?? '']);
}
$categories = [];
foreach ($story['topics'] as $topic) {
    $categories[] = wp_insert_term($topic['name'], 'category', ['description' => $topic['text']])['term_id'];
}
foreach ($story['posts'] as $p) {
    $id = wp_insert_post(['post_title' => $p['title'], 'post_content' => $p['text'], 'post_excerpt' => $p['excerpt'], 'post_date' => $p['date'],
                          'post_type' => $p['type'], 'post_status' => 'publish', 'post_author' => $users[$p['author']], 'comment_status' => 'open',
                          'post_category' => array_map(fn($c) => $categories[$c], $p['categories']), 'tags_input' => $p['tags']], true);
    if (is_wp_error($id)) {
        fwrite(STDERR, $id->get_error_message() . "\n");
        exit(1);
    }
    $last = 0;
    foreach ($p['comments'] as $c) {
        $last = wp_insert_comment(['comment_post_ID' => $id, 'comment_author' => $c['author'], 'comment_content' => $c['text'], 'comment_date' => $c['date'],
                                   'comment_date_gmt' => $c['date'], 'comment_approved' => 1, 'comment_parent' => $c['reply'] ? $last : 0]);
    }
    wp_update_comment_count_now($id);
    echo ($p['type'] === 'page' ? '?page_id=' : '?p=') . $id . "\n";
}
foreach ($categories as $c) {
    echo "?cat=$c\n";
}
echo "?paged=2\n?paged=3\n?author={$users[0]}\n";

/* Widgets, for themes that have places for widgets. */
$widgets = ['search' => [], 'recent-posts' => ['number' => 6], 'recent-comments' => ['number' => 5], 'categories' => ['count' => 1], 'archives' => ['dropdown' => 0],
            'tag_cloud' => ['taxonomy' => 'post_tag'], 'text' => ['title' => $story['motto'], 'text' => $story['bios'][0], 'filter' => true], 'meta' => []];
$shown = [];
foreach ($story['widgets'] as $name) {
    update_option("widget_$name", [2 => $widgets[$name] + ['title' => ''], '_multiwidget' => 1]);
    $shown[] = "$name-2";
}
update_option('sidebars_widgets', ['wp_inactive_widgets' => [], 'sidebar-1' => $shown, 'array_version' => 3]);
