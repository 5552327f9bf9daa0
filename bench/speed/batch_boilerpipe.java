// SPDX-License-Identifier: Apache-2.0
import de.l3s.boilerpipe.extractors.ArticleExtractor;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.xml.sax.InputSource;

/** bench/speed/batch: boilerpipe's ArticleExtractor. Lines of IN, tab, OUT on standard input. */
public class batch_boilerpipe {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) {
            if (line.isEmpty()) {
                continue;
            }
            String[] names = line.split("\t");
            String text = "";
            try {
                InputSource source = new InputSource(new ByteArrayInputStream(Files.readAllBytes(Paths.get(names[0]))));
                source.setEncoding("UTF-8");
                text = ArticleExtractor.INSTANCE.getText(source);
            } catch (Exception | StackOverflowError e) {
                // a page that boilerpipe cannot parse
            }
            Files.write(Paths.get(names[1]), text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
